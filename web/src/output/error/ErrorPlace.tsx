import { useContext } from "react";
import type { CellID } from "../../core/event.js";
import { JumpContext } from "../context/jump.js";
import styles from "./ErrorPlace.module.css";

interface Props {
  readonly cell: CellID;
  /** From 1; 0 is unknown, as it is for the column. */
  readonly line: number;
  readonly column: number;
}

/** Where in its cell something happened, which leads there. */
export function ErrorPlace({ cell, line, column }: Props) {
  const jump = useContext(JumpContext);
  if (line < 1) return null;
  const text = column > 0 ? `line ${line}, column ${column}` : `line ${line}`;
  if (!jump) return <span className={styles.place}>{text}</span>;
  return (
    <button type="button" className={styles.place} onClick={() => jump({ cell, line })}>
      {text}
    </button>
  );
}
