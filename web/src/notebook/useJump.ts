import { useCallback } from "react";
import type { CellID } from "../core/event.js";
import type { Store } from "../core/store.js";
import type { Page } from "./page.js";

/** Where an error can lead: to a cell by its name or by the count it ran with, and to a line of it. */
interface Target {
  readonly count?: number;
  readonly cell?: CellID;
  readonly line: number;
}

/** Returns what leads to a line of a cell, and shows which one it is. */
export function useJump(page: Page): (to: Target) => void {
  return useCallback((to: Target) => {
    const { client, desk, note, list } = page;
    const cell = cellOf(client.store, to);
    if (cell === undefined) return note({ text: to.count === undefined ? "That cell is gone." : `No cell ran as [${to.count}] lately: it was changed or run again since.` });
    if (client.store.cell(cell)?.kind === "markdown") desk.write([cell], true);
    desk.fold([cell], { source: false });
    desk.go(cell, "edit", { line: to.line });
    list.current?.reveal(cell);
    desk.flash(cell, to.line);
  }, [page]);
}

function cellOf(store: Store, { cell, count }: Target): CellID | undefined {
  const cells = store.notebook()?.cells ?? [];
  if (cell !== undefined) return cells.includes(cell) ? cell : undefined;
  return cells.find((id) => store.cell(id)?.count === count);
}
