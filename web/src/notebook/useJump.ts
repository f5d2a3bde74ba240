import { useCallback } from "react";
import type { CellID } from "../core/event.js";
import type { Store } from "../core/store.js";
import type { Jump, Target } from "../output/context/jump.js";
import type { Page } from "./state/page.js";

/** Returns a function that jumps to a line of a cell and highlights it. */
export function useJump(page: Page): Jump {
  return useCallback(
    (to: Target) => {
      const { client, ui, note, list } = page;
      const cell = cellOf(client.store, to);
      if (cell === undefined)
        return void note({ text: to.count === undefined ? "That cell is gone." : `No cell ran as [${to.count}] lately: it was changed or run again since.` });
      if (client.store.cell(cell)?.kind === "markdown") ui.write([cell], true);
      ui.fold([cell], { source: false });
      ui.go(cell, "edit", { line: to.line });
      list.current?.reveal(cell);
      ui.flash(cell, to.line);
    },
    [page],
  );
}

/**
 * Returns the target cell. Each runtime counts from one, so several cells may have run with a count: then the target is the
 * referring cell itself, else the one that ran last.
 */
export function cellOf(store: Store, { cell, count, from }: Target): CellID | undefined {
  const cells = store.notebook()?.cells ?? [];
  if (cell !== undefined) return cells.includes(cell) ? cell : undefined;
  const found = cells.filter((id) => store.cell(id)?.count === count);
  if (from !== undefined && found.includes(from)) return from;
  return found.reduce<CellID | undefined>((best, id) => (best === undefined || ranAt(store, id) > ranAt(store, best) ? id : best), undefined);
}

function ranAt(store: Store, cell: CellID): number {
  return store.run(store.cell(cell)?.run ?? "")?.started ?? 0;
}
