import type { Run } from "../core/view.js";
import { endingOf } from "./ending.js";
import styles from "./RunNote.module.css";

const heads = { stopped: "Stopped", "not run": "Not run", lost: "Lost" } as const;

/** Says why a cell has not run to its end, when that is more than the one word beside it. */
export function RunNote({ run }: { readonly run: Run }) {
  const ending = endingOf(run);
  if (ending?.why === undefined) return null;
  return (
    <p className={styles.note} data-note={ending.kind}>
      {heads[ending.kind]}: {ending.why}
    </p>
  );
}
