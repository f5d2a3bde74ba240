import { VisuallyHidden } from "../../ui/VisuallyHidden.js";
import styles from "./DiffView.module.css";

const names: Readonly<Record<string, "removed" | "added">> = { "-": "removed", "+": "added" };

/** A change of a source: lines that begin with a space, a minus or a plus. */
export function DiffView({ diff }: { readonly diff: string }) {
  const lines = diff.replace(/\n$/, "").split("\n");
  return (
    <pre className={styles.diff} aria-label="Change">
      {lines.map((line, i) => {
        const change = names[line.charAt(0)];
        return (
          <span key={i} className={styles.line} data-change={change}>
            {change && <VisuallyHidden>{`${change}: `}</VisuallyHidden>}
            {`${line}\n`}
          </span>
        );
      })}
    </pre>
  );
}
