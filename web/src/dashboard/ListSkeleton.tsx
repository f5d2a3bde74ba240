import { VisuallyHidden } from "../ui/VisuallyHidden.js";
import styles from "./ListSkeleton.module.css";

const widths = [38, 52, 29, 44, 33] as const; // of titles, in percent

/** The placeholder of the list until it is loaded. */
export function ListSkeleton() {
  return (
    <div role="status" className={styles.list}>
      <VisuallyHidden>Loading notebooks</VisuallyHidden>
      {widths.map((width) => (
        <div key={width} className={styles.row} aria-hidden="true">
          <span className={styles.bar} style={{ width: `${width}%` }} />
        </div>
      ))}
    </div>
  );
}
