import type { CellID } from "../../core/event.js";
import { nameOf } from "../../core/people.js";
import type { ActionName } from "./keymap.js";
import { isTypedIn } from "./lostFocus.js";
import { offerBack } from "./offerBack.js";
import type { Page } from "./page.js";
import type { Ghost } from "./uiState.js";

/** Returns the cells with the ghost at its former place. */
export function withGhost(cells: readonly CellID[], ghost: Ghost | undefined): readonly CellID[] {
  if (!ghost || cells.includes(ghost.cell)) return cells;
  const there = new Set(cells);
  const at = ghost.order.indexOf(ghost.cell);
  const above = ghost.order.slice(0, at).findLast((id) => there.has(id));
  const below = ghost.order.slice(at + 1).find((id) => there.has(id));
  const place = above !== undefined ? cells.indexOf(above) + 1 : below !== undefined ? cells.indexOf(below) : cells.length;
  return cells.toSpliced(place, 0, ghost.cell);
}

/** Returns the cell that the user types in: in its source, or in a field or a frame of it. */
export function typedCell({ ui }: Page): CellID | undefined {
  const { active, mode } = ui.state;
  if (mode === "edit") return active;
  const focused = document.activeElement;
  return isTypedIn(focused) ? focused?.closest<HTMLElement>("[data-cell]")?.dataset["cell"] : undefined;
}

/** Returns a sentence about a cell's deletion, with the name of another user or program. */
export function deletionOf({ client: { store } }: Page, cell: CellID, what: string): string {
  const by = store.cell(cell)?.deleter;
  if (by === undefined || by === store.status()?.actor) return `${what.charAt(0).toUpperCase()}${what.slice(1)} was deleted.`;
  const name = nameOf(by, store.peers().find(({ actor }) => actor === by)?.presence.name);
  return `${name} deleted ${what}.`;
}

/** Keeps a deleted cell in the page while the user types in it: its text is kept with the cell. */
export function keepGhost(page: Page, cell: CellID, order: readonly CellID[]): void {
  page.ui.set({ ghost: { cell, order } });
  page.ui.say(`${deletionOf(page, cell, "the cell that you are typing in")} What you type is kept with it.`);
}

/** Removes the ghost, and offers to restore it. */
export function leaveGhost(page: Page): void {
  const { ui, client } = page;
  const { ghost, active } = ui.state;
  if (!ghost) return;
  const there = new Set(client.store.notebook()?.cells);
  ui.set({ ghost: undefined });
  if (active === ghost.cell) ui.place(heirOf(ghost.order, there, ghost.cell));
  offerBack(page, [ghost.cell], `${deletionOf(page, ghost.cell, "the cell that you typed in")} What you typed is kept with it.`, "Restore");
}

/** Moves from the ghost to the cell in its place, in command mode. */
export function escapeGhost(page: Page, ghost: Ghost): void {
  const heir = heirOf(ghost.order, new Set(page.client.store.notebook()?.cells), ghost.cell);
  leaveGhost(page);
  if (heir !== undefined) page.ui.go(heir);
}

const ofPage: ReadonlySet<ActionName> = new Set(["command", "interrupt", "restart", "find", "variables", "save", "help", "scrollDown", "scrollUp"]);

/** Whether an action would apply to the ghost. */
export function ofGhost({ ui }: Page, action: ActionName): boolean {
  return ui.state.ghost !== undefined && !ofPage.has(action);
}

/** Returns the cell after a deleted one, else the one before it. */
export function heirOf(before: readonly CellID[], there: ReadonlySet<CellID>, gone: CellID): CellID | undefined {
  const at = before.indexOf(gone);
  return before.slice(at + 1).find((id) => there.has(id)) ?? before.slice(0, Math.max(at, 0)).findLast((id) => there.has(id));
}
