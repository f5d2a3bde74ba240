import { useEffect } from "react";
import type { CellID } from "../core/event.js";
import { offerBack } from "./offerBack.js";
import type { Page } from "./page.js";

/** Chooses the cell that takes over when the active one is gone, and says so if somebody else deleted it. */
export function useDeleted(page: Page): void {
  useEffect(() => {
    const { store } = page.client;
    let before = store.notebook()?.cells ?? [];
    if (page.desk.state.active === undefined) page.desk.place(before[0]);
    return store.listen("notebook", () => {
      const now = store.notebook()?.cells ?? [];
      const old = before;
      before = now;
      if (now !== old) settle(page, old, now);
    });
  }, [page]);
}

function settle(page: Page, before: readonly CellID[], now: readonly CellID[]): void {
  const { desk } = page;
  const there = new Set(now);
  const { active, selected } = desk.state;
  if (active === undefined) return desk.place(now[0]);
  if (there.has(active)) return drop(desk, selected, there);
  const heir = heirOf(before, there, active);
  const own = desk.deleted(active);
  const focused = document.activeElement;
  if (heir === undefined || !(focused === document.body || focused?.closest("[data-list]"))) desk.place(heir);
  else desk.go(heir);
  if (own) return;
  offerBack(page, [active], "The cell you were in was deleted."); // with what was typed in it, which is not gone
  if (heir !== undefined) desk.say(`You are in cell ${now.indexOf(heir) + 1}.`);
}

/** Takes cells that are gone out of the selection. */
function drop(desk: Page["desk"], selected: ReadonlySet<CellID>, there: ReadonlySet<CellID>): void {
  if ([...selected].every((id) => there.has(id))) return;
  desk.set({ selected: new Set([...selected].filter((id) => there.has(id))) });
}

/** Returns the cell that follows one that is gone, else the one before it. */
export function heirOf(before: readonly CellID[], there: ReadonlySet<CellID>, gone: CellID): CellID | undefined {
  const at = before.indexOf(gone);
  return before.slice(at + 1).find((id) => there.has(id)) ?? before.slice(0, Math.max(at, 0)).findLast((id) => there.has(id));
}
