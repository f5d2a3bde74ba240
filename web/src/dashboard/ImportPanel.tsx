import { X } from "lucide-react";
import { IconButton } from "../ui/IconButton.js";
import { ImportFile } from "./ImportFile.js";
import styles from "./ImportPanel.module.css";
import type { ImportRow } from "./imports.js";
import { useImportRows, useImports } from "./NotebookListProvider.js";

/** The progress of imported files. */
export function ImportPanel() {
  const rows = useImportRows();
  const imports = useImports();
  if (rows.length === 0) return null;
  const ended = rows.filter(({ state }) => state.kind === "done" || state.kind === "failed").length;
  const running = ended < rows.length;
  return (
    <section className={styles.panel} aria-label="Import">
      <header className={styles.head}>
        <span role="status">{running ? `Importing ${ended + 1} of ${rows.length}` : summary(rows)}</span>
        {running ? <progress aria-label="Files imported" value={ended} max={rows.length} /> : <IconButton label="Close" icon={<X />} onClick={imports.clear} />}
      </header>
      <ul className={styles.files}>
        {rows.map((row) => (
          <ImportFile key={row.key} row={row} />
        ))}
      </ul>
    </section>
  );
}

function summary(rows: readonly ImportRow[]): string {
  const failed = rows.filter(({ state }) => state.kind === "failed").length;
  const done = rows.length - failed;
  const files = (n: number) => (n === 1 ? "1 file" : `${n} files`);
  if (failed === 0) return `Imported ${files(done)}`;
  return done === 0 ? `${files(failed)} could not be imported` : `Imported ${files(done)}, ${failed} could not be`;
}
