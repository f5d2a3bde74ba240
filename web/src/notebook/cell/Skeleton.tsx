import { SkeletonCell } from "./SkeletonCell.js";
import styles from "./Skeleton.module.css";

/** Where cells will be in a moment. */
export function Skeleton() {
  return (
    <div className={styles.skeleton} role="status" aria-label="Opening the notebook" aria-busy="true">
      {[3, 1, 5, 2].map((lines, i) => (
        <SkeletonCell key={i} lines={lines} />
      ))}
    </div>
  );
}
