import styles from "./DropOverlay.module.css";
import { useDrop } from "./useDrop.js";

/** Says what happens to the files that are held over the page. */
export function DropOverlay({ onFiles }: { onFiles(files: readonly File[]): void }) {
  if (!useDrop(onFiles)) return null;
  return (
    <div className={styles.overlay} aria-hidden="true">
      <p>Drop to import</p>
    </div>
  );
}
