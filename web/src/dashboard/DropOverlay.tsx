import { useEffect, useState } from "react";
import styles from "./DropOverlay.module.css";

/** Announces the import of files that are dragged over the page. */
export function DropOverlay({ onFiles }: { onFiles(files: readonly File[]): void }) {
  if (!useDrop(onFiles)) return null;
  return (
    <div className={styles.overlay} aria-hidden="true">
      <p>Drop to import</p>
    </div>
  );
}

/** Takes files that are dropped on the page. Returns whether files are dragged over it. */
function useDrop(onFiles: (files: readonly File[]) => void): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const hold = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault(); // else the browser opens the file in place of the page
      event.dataTransfer.dropEffect = "copy";
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(false);
      const files = [...event.dataTransfer.files];
      if (files.length > 0) onFiles(files);
    };
    window.addEventListener("dragenter", hold);
    window.addEventListener("dragover", hold);
    window.addEventListener("dragleave", leave);
    window.addEventListener("drop", drop);
    return () => {
      window.removeEventListener("dragenter", hold);
      window.removeEventListener("dragover", hold);
      window.removeEventListener("dragleave", leave);
      window.removeEventListener("drop", drop);
    };
  }, [onFiles]);
  return over;
}
