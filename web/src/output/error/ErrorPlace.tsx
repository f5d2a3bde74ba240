import { useContext } from "react";
import type { CellID } from "../../core/event.js";
import { JumpContext } from "../context/jump.js";
import styles from "./ErrorPlace.module.css";

interface Props {
  readonly cell: CellID;
  /** From 1; 0 is unknown, for the column too. */
  readonly line: number;
  readonly column: number;
}

/** The place of an error in its cell, as a link. */
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
