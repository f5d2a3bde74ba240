import type { CellID } from "../../core/event.js";
import type { Landing } from "../../editor/landing.js";
import type { Page } from "./page.js";

/** Whether the caret in a cell is to follow its text to where others move it: who orders something goes where that leads. */
export function follows({ desk }: Page, cell: CellID): boolean {
  return desk.state.mode === "edit" && desk.state.active === cell && !desk.orders;
}

/** Lets the caret go on in the cell to which its text went. */
export function carry({ client, desk, hold }: Page, from: CellID, landing: Landing): void {
  if (client.store.cell(landing.cell)?.kind === "markdown") desk.write([landing.cell], true);
  if (desk.state.ghost?.cell === from) desk.set({ ghost: undefined });
  hold.current?.carry();
  desk.carry(landing.cell, landing, from);
}
