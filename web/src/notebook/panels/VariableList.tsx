import type { Variable } from "../../core/protocol.js";
import { sizeText } from "../../lib/sizeText.js";
import styles from "./VariableList.module.css";
import { mostListed } from "./variables.js";

interface Props {
  readonly variables: readonly Variable[];
  /** The variables date from before the present run. */
  readonly busy: boolean;
}

/** The list of variables, which the keyboard can scroll. */
export function VariableList({ variables, busy }: Props) {
  const left = variables.length - mostListed;
  return (
    <div className={styles.box} role="region" aria-label="List of variables" tabIndex={0} data-busy={busy || undefined}>
      <ul className={styles.list}>
        {variables.slice(0, mostListed).map((variable) => (
          <Row key={variable.name} {...variable} />
        ))}
      </ul>
      {left > 0 && <p className={styles.more}>{left.toLocaleString("en")} more: filter to see them.</p>}
    </div>
  );
}

function Row({ name, type, shape, size, preview }: Variable) {
  return (
    <li className={styles.row} title={size === undefined ? undefined : `About ${sizeText(size)} in memory`}>
      <code className={styles.name}>{name}</code>
      <span className={styles.type}>{shape === undefined || shape === "" ? type : `${type} ${shape}`}</span>
      <code className={styles.preview} title={preview}>
        {preview}
      </code>
    </li>
  );
}
