import type { ReactNode } from "react";
import styles from "./Cut.module.css";

interface Props {
  readonly why: string;
  /** An action. */
  readonly children?: ReactNode;
}

/** Tells that an output, or a part of one, is not shown, and why. */
export function Cut({ why, children }: Props) {
  return (
    <p className={styles.cut} role="note">
      {why} {children}
    </p>
  );
}
