import { Download, Eye } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../../ui/Button.js";
import { fileName } from "../bundle/bytes.js";
import styles from "./ArtifactLine.module.css";

interface Props {
  readonly children: ReactNode;
  /** The type of the download. */
  readonly type: string;
  readonly address: string | undefined;
  /** Shows the artifact here, if possible, and the label of that button. */
  readonly onShow?: (() => void) | undefined;
  readonly verb?: string;
  readonly busy?: boolean;
  /** Whether it has a link; false if it can be downloaded in another way. */
  readonly link?: boolean;
}

/** A line about a part of an output that is stored outside the notebook, with a link to it. */
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
