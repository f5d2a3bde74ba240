import styles from "./Skeleton.module.css";

/** The placeholder of a cell's source. */
export function SkeletonCell({ lines }: { readonly lines: number }) {
  return (
    <div className={styles.cell} aria-hidden>
      {Array.from({ length: lines }, (_, i) => (
        <span key={i} className={styles.line} style={{ width: `${35 + ((i * 37 + lines * 23) % 50)}%` }} />
      ))}
    </div>
  );
}
