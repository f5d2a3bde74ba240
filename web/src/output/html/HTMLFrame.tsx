import { useMemo, useRef, useState } from "react";
import { Button } from "../../ui/Button.js";
import { Cut } from "../../ui/Cut.js";
import { Fold } from "../../ui/Fold.js";
import { useNear } from "../../ui/useNear.js";
import styles from "./HTMLFrame.module.css";
import { type Stopped, useFrame } from "./useFrame.js";

interface Props {
  /** The id of the output: its height is remembered. */
  readonly id: string;
  readonly look: "html" | "javascript";
  readonly source: string;
  readonly title: string;
}

const reasons: Readonly<Record<Stopped, string>> = {
  messages: "This output was stopped: it sent the page more messages than it can read.",
  focus: "This output was stopped: it took the keyboard without being pressed.",
  elsewhere: "This output was stopped: it led its frame to another address.",
};

/** An output that may run scripts: in a frame without access to the application or the network. */
export function HTMLFrame({ id, look, source, title }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const element = useRef<HTMLIFrameElement>(null);
  const near = useNear(box);
  const content = useMemo(() => ({ kind: "show", look, source }) as const, [look, source]);
  const { height, waits, blocked, errors, link, tries, stopped, again, loaded, forgetLink } = useFrame(element, id, content, near);
  return (
    <>
      {stopped && (
        <Cut why={reasons[stopped]}>
          <Button onClick={again}>Show again</Button>
        </Cut>
      )}
      <div ref={box} hidden={stopped !== undefined} className={styles.box} style={{ height }} aria-busy={(waits && !stopped) || undefined}>
        {near && !stopped && <iframe key={tries} ref={element} className={styles.frame} src="/frame/" sandbox="allow-scripts" title={title} onLoad={loaded} />}
      </div>
      {link && <LinkBar key={link.href} url={link} onDone={forgetLink} />}
      {look === "javascript" && !waits && height < 2 && <ScriptLine source={source} />}
      {blocked !== undefined && <p className={styles.error}>Blocked: outputs cannot load from the network{blocked === "" ? "" : ` (${blocked})`}.</p>}
      {blocked === undefined &&
        errors.map((text) => (
          <p key={text} className={styles.error}>
            {text}
          </p>
        ))}
    </>
  );
}

/** Tells that an output is a script without visible content: it cannot reach the notebook, as it could elsewhere. */
function ScriptLine({ source }: { readonly source: string }) {
  const [open, setOpen] = useState(false);
  return (
    <div className={styles.script}>
      <Fold open={open} onTurn={() => setOpen(!open)}>
        A script that shows nothing. It ran by itself, for scripts of outputs cannot reach the notebook.
      </Fold>
      {open && <pre>{source}</pre>}
    </div>
  );
}

/**
 * Asks before a link of an output is opened. It shows the whole address as it is sent: host names of other scripts in punycode,
 * without direction-changing characters. It takes no focus.
 */
function LinkBar({ url, onDone }: { readonly url: URL; onDone(): void }) {
  const open = () => {
    window.open(url.href, "_blank", "noopener,noreferrer");
    onDone();
  };
  return (
    <div className={styles.bar} role="status">
      <span>
        Open <strong>{url.host}</strong> in a new tab?
      </span>
      <code className={styles.address} dir="ltr">
        {url.href}
      </code>
      <Button onClick={open}>Open</Button>
      <Button onClick={onDone}>Cancel</Button>
    </div>
  );
}
