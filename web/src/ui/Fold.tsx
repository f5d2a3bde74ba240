import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import styles from "./Fold.module.css";

interface Props {
  readonly open: boolean;
  onTurn(): void;
  readonly children: ReactNode;
}

/** A line that folds and unfolds the content below it. */
export function Fold({ open, onTurn, children }: Props) {
  return (
    <button type="button" className={styles.fold} aria-expanded={open} onClick={onTurn}>
      <ChevronRight size={14} aria-hidden className={open ? styles.down : undefined} />
      {children}
    </button>
  );
}
