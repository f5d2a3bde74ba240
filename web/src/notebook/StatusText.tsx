import { Check, CloudOff, LoaderCircle } from "lucide-react";
import styles from "./StatusText.module.css";
import { useCalmStanding } from "./useCalmStanding.js";

const icons = { saved: <Check />, saving: <LoaderCircle />, opening: <LoaderCircle />, away: <CloudOff />, ended: <CloudOff /> } as const;

/** What is saved, and where. It is the truth: nothing is said to be saved that is not on the server's disk. */
export function StatusText() {
  const { kind, text, detail } = useCalmStanding();
  return (
    <span className={styles.status} data-kind={kind} title={detail ?? text} role="status" aria-live="off">
      <span className={styles.icon} aria-hidden>
        {icons[kind]}
      </span>
      <span className={styles.text}>{text}</span>
    </span>
  );
}
