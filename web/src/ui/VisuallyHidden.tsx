import type { ComponentProps } from "react";
import styles from "./VisuallyHidden.module.css";

/** Contains text for screen readers. */
export function VisuallyHidden(props: ComponentProps<"span">) {
  return <span {...props} className={styles.hidden} />;
}
