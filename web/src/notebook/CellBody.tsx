import type { Ref } from "react";
import { assertNever } from "../core/assert.js";
import type { CellRow } from "../core/store.js";
import type { EditorHandle } from "../editor/Editor.js";
import { FoldedSource } from "./FoldedSource.js";
import { Prose } from "./Prose.js";
import { Source } from "./Source.js";
import { useDesk } from "./page.js";

interface Props {
  readonly cell: CellRow;
  readonly place: number;
  readonly handle: Ref<EditorHandle>;
}

/** A cell's source as its kind shows it. */
export function CellBody({ cell, place, handle }: Props) {
  const folded = useDesk((state) => state.folds.get(cell.id)?.source) ?? cell.hideSource ?? false;
  const written = useDesk((state) => state.written.has(cell.id));
  if (folded) return <FoldedSource cell={cell} />;
  switch (cell.kind) {
    case "markdown":
      return written ? <Source cell={cell} place={place} handle={handle} /> : <Prose id={cell.id} />;
    case "code":
    case "sql":
    case "ai":
    case "raw":
      return <Source cell={cell} place={place} handle={handle} />;
    default:
      return assertNever(cell.kind);
  }
}
