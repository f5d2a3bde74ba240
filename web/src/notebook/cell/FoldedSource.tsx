import { ChevronRight } from "lucide-react";
import { useText } from "../../core/hooks.js";
import type { CellRow } from "../../core/store.js";
import { foldSource } from "../state/actions.js";
import { usePage } from "../state/page.js";
import styles from "./FoldedSource.module.css";

/** The first line of a folded source; a click unfolds it. */
export function FoldedSource({ cell }: { readonly cell: CellRow }) {
  const page = usePage();
  const source = useText(cell.id)?.source ?? "";
  const line = firstLine(source);
  const more = source.trimEnd().includes("\n");
  return (
    <button type="button" className={styles.folded} aria-expanded={false} aria-label={`Show code: ${line}`} onClick={() => foldSource(page, [cell.id])}>
      <ChevronRight aria-hidden />
      <code>{line || "Empty"}</code>
      {more && <span className={styles.more}>…</span>}
    </button>
  );
}

function firstLine(source: string): string {
  const start = source.search(/\S/);
  return start < 0 ? "" : (source.slice(start, start + 300).split("\n", 1)[0] ?? "");
}
