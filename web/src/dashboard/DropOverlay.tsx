import styles from "./DropOverlay.module.css";
import { useDrop } from "./useDrop.js";

/** Announces the import of files that are dragged over the page. */
export function DropOverlay({ onFiles }: { onFiles(files: readonly File[]): void }) {
  if (!useDrop(onFiles)) return null;
  return (
    <div className={styles.overlay} aria-hidden="true">
      <p>Drop to import</p>
    </div>
  );
}
