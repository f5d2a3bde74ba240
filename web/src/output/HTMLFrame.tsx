import { useMemo, useRef } from "react";
import { Button } from "../ui/Button.js";
import styles from "./HTMLFrame.module.css";
import { useFrame } from "./useFrame.js";
import { useNear } from "./useNear.js";

interface Props {
  /** Of the output: its height is remembered. */
  readonly id: string;
  readonly look: "html" | "javascript";
  readonly source: string;
  readonly title: string;
}

/** An output that may run scripts: in a frame that has nothing of the application, and can reach nothing. */
export function HTMLFrame({ id, look, source, title }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const element = useRef<HTMLIFrameElement>(null);
  const near = useNear(box);
  const content = useMemo(() => ({ kind: "show", look, source }) as const, [look, source]);
  const { height, waits, errors, link, forgetLink } = useFrame(element, id, content, near);
  return (
    <>
      <div ref={box} className={styles.box} style={{ height }} aria-busy={waits || undefined}>
        {near && <iframe ref={element} className={styles.frame} src="/frame/" sandbox="allow-scripts" title={title} />}
      </div>
      {link && <LinkBar key={link.href} url={link} onDone={forgetLink} />}
      {errors.map((text) => (
        <p key={text} className={styles.error}>
          {text}
        </p>
      ))}
    </>
  );
}

/** Asks before a link of an output is opened. It says the whole host, and takes no focus. */
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
      <Button onClick={open} title={url.href}>
        Open
      </Button>
      <Button onClick={onDone}>Cancel</Button>
    </div>
  );
}
