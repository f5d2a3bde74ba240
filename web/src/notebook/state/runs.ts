import type { CellID } from "../../core/event.js";
import { may } from "../../core/may.js";
import type { Page } from "./page.js";

/** Returns whether cells of a kind are run: code by a runtime, and prompts by an assistant. */
export function runnable(kind: string | undefined): boolean {
  return kind === "code" || kind === "sql" || kind === "ai";
}

/** Runs code cells, and renders Markdown cells. A range leaves out the cells that are excluded from runs of all. */
export async function run(page: Page, cells: readonly CellID[], range = false): Promise<void> {
  const { client, ui } = page;
  const kind = (id: CellID): string | undefined => client.store.cell(id)?.kind;
  const prose = cells.filter((id) => kind(id) === "markdown");
  if (prose.length > 0) ui.write(prose, false);
  const code = cells.filter((id) => runnable(kind(id)));
  const runs = code.length > 0 && may(client.store.status()?.role, "run");
  if (runs) ui.ran(code);
  await ui.flush(cells);
  if (runs) await client.command({ kind: "runCells", cells: code, ...(range && { range }) });
}

/** Runs all code of the notebook, in order. */
export async function runAll(page: Page): Promise<void> {
  await page.ui.flush();
  await page.client.command({ kind: "runCells" });
}

/** Runs the cells above a cell, or those from it on. */
export async function runPart(page: Page, cell: CellID, part: "above" | "below"): Promise<void> {
  const cells = page.client.store.notebook()?.cells ?? [];
  const at = cells.indexOf(cell);
  await run(page, part === "above" ? cells.slice(0, at) : cells.slice(at), true);
}

/** Restarts the runtime, and then runs all code. */
export async function restartAndRunAll(page: Page): Promise<void> {
  await page.restartRuntime();
  await runAll(page);
}

export async function runAndStay(page: Page): Promise<void> {
  const { active, mode } = page.ui.state;
  const cells = page.ui.selection();
  const running = run(page, cells);
  if (active !== undefined && (mode === "edit" || cells.length > 0)) page.ui.select(cells.length > 1 ? cells : [active]);
  await running;
}

export async function runAndNext(page: Page): Promise<void> {
  const order = page.client.store.notebook()?.cells ?? [];
  const cells = page.ui.selection();
  const last = cells.at(-1);
  if (last === undefined) return;
  const running = run(page, cells);
  const next = order[order.indexOf(last) + 1];
  if (next !== undefined) page.ui.go(next);
  else await addBelow(page, last);
  await running;
}

export async function runAndInsert(page: Page): Promise<void> {
  const cells = page.ui.selection();
  const last = cells.at(-1);
  if (last === undefined) return;
  const running = run(page, cells);
  await addBelow(page, last);
  await running;
}

/** Adds a code cell and moves the caret there. Users who may not edit stay on the run cell. */
async function addBelow({ client, ui }: Page, cell: CellID): Promise<void> {
  if (!may(client.store.status()?.role, "edit")) return ui.go(cell);
  const elsewhere = ui.elsewhere();
  const { cells } = await client.command({ kind: "addCell", cellKind: "code", after: cell });
  const added = cells?.[0];
  if (added !== undefined && !elsewhere()) ui.go(added, "edit");
}
