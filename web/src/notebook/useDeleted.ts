import { useEffect } from "react";
import type { CellID } from "../core/event.js";
import { deletionOf, heirOf, keepGhost, typedCell } from "./state/ghost.js";
import { offerBack } from "./state/offerBack.js";
import type { Page } from "./state/page.js";

/**
 * Handles deletions by others. A cell with the caret stays as a ghost; in command mode another cell becomes active, and the
 * deletion is announced.
 */
export function useDeleted(page: Page): void {
  useEffect(() => {
    const { store } = page.client;
    let before = store.notebook()?.cells ?? [];
    if (page.ui.state.active === undefined) page.ui.place(before[0]);
    return store.listen("notebook", () => {
      const now = store.notebook()?.cells ?? [];
      const old = before;
      before = now;
      if (now !== old) settle(page, page.ui.withCarried(old), now);
    });
  }, [page]);
}

function settle(page: Page, before: readonly CellID[], now: readonly CellID[]): void {
  const { ui } = page;
  const there = new Set(now);
  const { active, selected, ghost } = ui.state;
  if (ghost && there.has(ghost.cell)) ui.set({ ghost: undefined });
  const own = active !== undefined && !there.has(active) && ui.deleted(active);
  const typed = typedCell(page);
  if (typed !== undefined && before.includes(typed) && !there.has(typed) && !(typed === active ? own : ui.deleted(typed))) keepGhost(page, typed, before);
  if (active === undefined) return ui.place(now[0]);
  if (there.has(active)) return drop(ui, selected, there);
  if (ui.state.ghost?.cell === active) return;
  const heir = heirOf(before, there, active);
  const focused = document.activeElement;
  if (heir === undefined || !(focused === document.body || focused?.closest("[data-list]"))) ui.place(heir);
  else ui.go(heir);
  if (own) return;
  offerBack(page, [active], deletionOf(page, active, "the cell you were in")); // restoring also restores the text typed in it
  if (heir !== undefined) ui.say(`You are in cell ${now.indexOf(heir) + 1}.`);
}

/** Removes deleted cells from the selection. */
function drop(ui: Page["ui"], selected: ReadonlySet<CellID>, there: ReadonlySet<CellID>): void {
  if ([...selected].every((id) => there.has(id))) return;
  ui.set({ selected: new Set([...selected].filter((id) => there.has(id))) });
}
