import type { Run } from "../../core/view.js";
import { sentence } from "../../lib/sentence.js";
import { endingOf } from "../state/ending.js";
import styles from "./RunEndReason.module.css";

/** The reason that a run ended early, if it is longer than the word beside the cell. */
export function RunEndReason({ run }: { readonly run: Run }) {
  const ending = endingOf(run);
  if (ending?.why === undefined) return null;
  return (
    <p className={styles.note} data-note={ending.kind}>
      {sentence(ending.why)}
    </p>
  );
}
