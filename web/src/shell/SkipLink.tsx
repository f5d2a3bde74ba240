import type { MouseEvent } from "react";
import { focusMain } from "./focusMain.js";
import styles from "./SkipLink.module.css";

/** Leads keyboard users past the header of every page. It is visible while it has the focus. */
export function SkipLink() {
  const skip = (event: MouseEvent) => {
    event.preventDefault();
    focusMain();
  };
  return (
    <a className={styles.skip} href="#main" onClick={skip}>
      Skip to content
    </a>
  );
}
