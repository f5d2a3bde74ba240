import { SkeletonCell } from "./SkeletonCell.js";
import styles from "./Skeleton.module.css";

/** The placeholder of cells that are being loaded. */
export function Skeleton() {
  return (
    <div className={styles.skeleton} role="status" aria-label="Opening the notebook" aria-busy="true">
      {[3, 1, 5, 2].map((lines, i) => (
        <SkeletonCell key={i} lines={lines} />
      ))}
    </div>
  );
}
