import type { CellID } from "../../core/event.js";
import type { Landing } from "../../editor/landing.js";
import type { Page } from "./page.js";

/** Whether the caret in a cell follows its text when others move it. After a command of the user the caret goes where the command leads. */
export function follows({ ui }: Page, cell: CellID): boolean {
  return ui.state.mode === "edit" && ui.state.active === cell && !ui.orders;
}

/** Moves the caret to the cell to which its text was moved. */
export function carry({ client, ui, hold }: Page, from: CellID, landing: Landing): void {
  if (client.store.cell(landing.cell)?.kind === "markdown") ui.write([landing.cell], true);
  if (ui.state.ghost?.cell === from) ui.set({ ghost: undefined });
  hold.current?.carry();
  ui.carry(landing.cell, landing, from);
}
