import { type Ref, useEffect } from "react";
import type { CellRow } from "../../core/store.js";
import type { EditorHandle } from "../../editor/Editor.js";
import { assertNever } from "../../lib/assert.js";
import { useUI, usePage } from "../state/page.js";
import { FoldedSource } from "./FoldedSource.js";
import { Prose } from "./Prose.js";
import { Source } from "./Source.js";

interface Props {
  readonly cell: CellRow;
  /** Its place among the cells, unless it is deleted. */
  readonly place: number | undefined;
  readonly handle: Ref<EditorHandle>;
}

/** A cell's source, rendered by its kind. While the user types in it the editor stays, whatever the cell becomes. */
export function CellBody({ cell, place, handle }: Props) {
  const { ui } = usePage();
  const typing = useUI((state) => state.mode === "edit" && state.active === cell.id);
  const folded = useUI((state) => state.folds.get(cell.id)?.source) ?? cell.hideSource ?? false;
  const written = useUI((state) => state.written.has(cell.id));
  const becomesProse = typing && !written && cell.kind === "markdown";
  useEffect(() => {
    if (becomesProse) ui.write([cell.id], true); // and stays open when the caret leaves
  }, [ui, cell.id, becomesProse]);
  if (folded && !typing) return <FoldedSource cell={cell} />;
  switch (cell.kind) {
    case "markdown":
      return written || typing ? <Source cell={cell} place={place} handle={handle} /> : <Prose id={cell.id} />;
    case "code":
    case "sql":
    case "ai":
    case "raw":
      return <Source cell={cell} place={place} handle={handle} />;
    default:
      return assertNever(cell.kind);
  }
}
