import { Download, Eye } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../../ui/Button.js";
import { fileName } from "../bundle/bytes.js";
import styles from "./ArtifactLine.module.css";

interface Props {
  readonly children: ReactNode;
  /** Of the type that it is downloaded as. */
  readonly type: string;
  readonly address: string | undefined;
  /** Shows it here, if it can be, and what that is called. */
  readonly onShow?: (() => void) | undefined;
  readonly verb?: string;
  readonly busy?: boolean;
  /** Whether it has a link; false where there is another way to download it. */
  readonly link?: boolean;
}

/** A quiet line about what of an output lies outside the notebook, with what gets it. */
export function ArtifactLine({ children, type, address, onShow, verb = "Show", busy = false, link = true }: Props) {
  return (
    <div className={styles.line} role="group" aria-label={`Stored apart: ${type}`} aria-busy={busy || undefined}>
      <span className={styles.text}>{children}</span>
      {onShow && (
        <Button icon={<Eye aria-hidden />} disabled={busy || address === undefined} onClick={onShow}>
          {busy ? "Loading…" : verb}
        </Button>
      )}
      {link && address !== undefined && (
        <a className={styles.link} href={address} download={fileName(type)}>
          <Download aria-hidden />
          Download
        </a>
      )}
    </div>
  );
}
