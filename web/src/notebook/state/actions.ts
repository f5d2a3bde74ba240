import type { CellID, CellKind } from "../../core/event.js";
import type { Status } from "../../core/view.js";
import { counted } from "../../lib/counted.js";
import { attempt } from "./attempt.js";
import { copies } from "./clipboard.js";
import type { ActionName } from "./keymap.js";
import { offerBack } from "./offerBack.js";
import type { Page } from "./page.js";
import { runAndStay, runAndInsert, runAndNext } from "./runs.js";
import { saveStatus } from "./saveStatus.js";
import { editSource } from "./source.js";

/** The implementation of each action. */
export const actions: Readonly<Record<ActionName, (page: Page) => void | Promise<void>>> = {
  edit,
  command,
  insertAbove: (page) => insert(page, "above"),
  insertBelow: (page) => insert(page, "below"),
  delete: (page) => remove(page, page.ui.selection()),
  undo: (page) => back(page, "undo"),
  redo: (page) => back(page, "redo"),
  cut,
  copy: (page) => copy(page, page.ui.selection()),
  paste: (page) => paste(page, "below"),
  pasteAbove: (page) => paste(page, "above"),
  toCode: (page) => changeKind(page, page.ui.selection(), "code"),
  toMarkdown: (page) => changeKind(page, page.ui.selection(), "markdown"),
  toRaw: (page) => changeKind(page, page.ui.selection(), "raw"),
  heading1: (page) => heading(page, 1),
  heading2: (page) => heading(page, 2),
  heading3: (page) => heading(page, 3),
  heading4: (page) => heading(page, 4),
  heading5: (page) => heading(page, 5),
  heading6: (page) => heading(page, 6),
  previous: (page) => step(page, -1),
  next: (page) => step(page, 1),
  extendPrevious: (page) => step(page, -1, true),
  extendNext: (page) => step(page, 1, true),
  first: (page) => goTo(page, order(page)[0]),
  last: (page) => goTo(page, order(page).at(-1)),
  selectAll,
  moveUp: (page) => moveBy(page, -1),
  moveDown: (page) => moveBy(page, 1),
  merge,
  split,
  toggleOutputs: (page) => foldOutputs(page, page.ui.selection()),
  scrollOutputs,
  menu: ({ ui }) => void (ui.state.active !== undefined && ui.openMenu(ui.state.active)),
  toggleNumbers,
  toggleAllNumbers: ({ ui }) => ui.set({ numbers: !ui.state.numbers }),
  scrollDown: (page) => page.list.current?.scroll(1),
  scrollUp: (page) => page.list.current?.scroll(-1),
  runNext: runAndNext,
  runHere: runAndStay,
  runInsert: runAndInsert,
  interrupt: async ({ client }) => void (await client.command({ kind: "cancelRuns" })),
  restart: (page) => page.restartRuntime(),
  find: ({ ui }) => ui.set({ panel: "find" }),
  variables: ({ ui }) => ui.set({ side: ui.state.side === "variables" ? undefined : "variables" }),
  save: ({ client, ui, note }) => void note({ text: saveText(client.store.status(), ui.state.unsaved.size > 0), topic: "answer" }),
  help: ({ ui }) => ui.set({ panel: ui.state.panel === "keys" ? undefined : "keys" }),
};

/** Returns the save status with its detail. */
function saveText(status: Status | undefined, unsaved: boolean): string {
  const { text, detail } = saveStatus(status, unsaved);
  return detail === undefined ? text : `${text}. ${detail}`;
}

/** Returns the cells of the notebook, in order. */
export function order(page: Page): readonly CellID[] {
  return page.client.store.notebook()?.cells ?? [];
}

function goTo({ ui }: Page, cell: CellID | undefined): void {
  if (cell !== undefined) ui.go(cell);
}

function step(page: Page, by: -1 | 1, extend = false): void {
  const cells = order(page);
  const active = page.ui.state.active;
  const cell = active === undefined ? cells[0] : cells[cells.indexOf(active) + by];
  if (cell === undefined) return;
  if (!extend) return page.ui.go(cell);
  page.ui.extend(cell);
  page.ui.say(`${counted(page.ui.state.selected.size, "cell")} selected.`);
}

function edit({ ui, client }: Page): void {
  const { active } = ui.state;
  if (active === undefined) return;
  if (client.store.cell(active)?.kind === "markdown") ui.write([active], true);
  if (sourceFolded(ui.state.folds.get(active)?.source, client.store.cell(active)?.hideSource)) ui.fold([active], { source: false });
  ui.go(active, "edit");
}

function sourceFolded(here: boolean | undefined, there: boolean | undefined): boolean {
  return here ?? there ?? false;
}

function command({ ui }: Page): void {
  const { active, panel } = ui.state;
  if (panel === "keys") ui.set({ panel: undefined });
  if (active !== undefined) ui.go(active);
}

/** Adds a cell above or below a cell, or at the end if there is none: a code cell by default. */
export async function insert(
  page: Page,
  where: "above" | "below",
  cellKind: CellKind = "code",
  at = page.ui.state.active,
  mode: "command" | "edit" = "command",
): Promise<void> {
  const elsewhere = page.ui.elsewhere();
  const { cells } = await page.client.command({ kind: "addCell", cellKind, ...placed(at, where) });
  const cell = cells?.[0];
  if (cell === undefined) return;
  if (cellKind === "markdown") page.ui.write([cell], true);
  if (!elsewhere()) page.ui.go(cell, mode);
}

function placed(at: CellID | undefined, where: "above" | "below"): { readonly after?: CellID; readonly before?: CellID } {
  if (at === undefined) return {};
  return where === "above" ? { before: at } : { after: at };
}

/** Deletes cells, and offers to undo that. */
export async function remove(page: Page, cells: readonly CellID[]): Promise<void> {
  if (cells.length === 0) return;
  const { client, ui } = page;
  ui.deleting(cells);
  const elsewhere = ui.elsewhere();
  const { cells: next } = await client.command({ kind: "deleteCells", cells });
  const heir = next?.[0];
  if (heir !== undefined && order(page).includes(heir) && !elsewhere()) ui.go(heir);
  offerBack(page, cells, cells.length === 1 ? "Cell deleted." : `${counted(cells.length, "cell")} deleted.`);
}

async function back(page: Page, kind: "undo" | "redo"): Promise<void> {
  const { client, ui } = page;
  const elsewhere = ui.elsewhere();
  const { cells, skipped = 0 } = await ui.ordering(() => client.command({ kind })); // the undo may delete the active cell
  const there = (cells ?? []).filter((id) => order(page).includes(id));
  if (there.length > 0 && !elsewhere()) ui.select(there);
  page.note({ text: backText(kind, cells !== undefined, skipped), topic: "answer" });
}

function backText(kind: "undo" | "redo", done: boolean, skipped: number): string {
  if (done) return kind === "undo" ? "Undone." : "Redone.";
  if (skipped > 0) return "Others have changed this since, so it stays.";
  return kind === "undo" ? "Nothing to undo." : "Nothing to redo.";
}

/** Puts copies of cells on the clipboard. */
export async function copy(page: Page, cells: readonly CellID[]): Promise<void> {
  await page.ui.flush(cells);
  await page.clipboard.put(copies(page.client.store, cells));
  page.note({ text: `${counted(cells.length, "cell")} copied.`, topic: "answer" });
}

async function cut(page: Page): Promise<void> {
  const cells = page.ui.selection();
  await copy(page, cells);
  await remove(page, cells);
}

/** Pastes the cells on the clipboard. */
export async function paste(page: Page, where: "above" | "below", at = page.ui.state.active): Promise<void> {
  await pasteItems(page, await page.clipboard.get(), where, at);
}

/** Inserts copies beside a cell. */
export async function pasteItems(
  page: Page,
  items: Awaited<ReturnType<Page["clipboard"]["get"]>>,
  where: "above" | "below",
  at = page.ui.state.active,
): Promise<void> {
  if (items.length === 0) return void page.note({ text: "There are no cells to paste: copy some first." });
  const near = where === "below" ? (page.ui.selection().at(-1) ?? at) : at;
  const elsewhere = page.ui.elsewhere();
  const { cells = [] } = await page.client.command({ kind: "pasteCells", items, ...placed(near, where) });
  if (!elsewhere()) page.ui.select(cells);
}

/** Changes the kind of cells. New Markdown cells show their source. */
export async function changeKind(page: Page, cells: readonly CellID[], cellKind: CellKind): Promise<void> {
  if (cells.length === 0) return;
  if (cellKind === "markdown") page.ui.write(cells, true);
  await page.client.command({ kind: "changeKind", cells, cellKind });
}

async function heading(page: Page, level: number): Promise<void> {
  const { active } = page.ui.state;
  if (active === undefined) return;
  await page.ui.flush([active]);
  await changeKind(page, [active], "markdown");
  const marks = `${"#".repeat(level)} `;
  await editSource(page.client, active, "heading", (source) => {
    const old = /^#{1,6}\s+|^#{1,6}(?=\n|$)/.exec(source)?.[0] ?? "";
    return old === marks ? undefined : [...(old === "" ? [] : [-old.length]), marks];
  });
}

function selectAll({ ui, client }: Page): void {
  const cells = client.store.notebook()?.cells ?? [];
  ui.set({ selected: new Set(cells), mode: "command", anchor: cells[0], active: ui.state.active ?? cells[0] });
  ui.say(`${counted(cells.length, "cell")} selected.`);
}

async function moveBy(page: Page, by: -1 | 1): Promise<void> {
  const cells = order(page);
  const moved = page.ui.selection();
  const edge = by < 0 ? moved[0] : moved.at(-1);
  if (edge === undefined) return;
  const beyond = cells[cells.indexOf(edge) + by];
  if (beyond === undefined) return void page.note({ text: by < 0 ? "Already the first." : "Already the last.", topic: "answer" });
  await move(page, moved, by < 0 ? { before: beyond } : { after: beyond });
}

/** Moves cells, and announces their new place. */
export async function move(page: Page, cells: readonly CellID[], place: { readonly before: CellID } | { readonly after: CellID }): Promise<void> {
  const { active } = page.ui.state;
  await page.client.command({ kind: "moveCells", cells, ...place });
  const now = order(page);
  const first = now.indexOf(cells[0] ?? "") + 1;
  page.ui.say(`${counted(cells.length, "cell")} moved to place ${first} of ${now.length}.`);
  if (active !== undefined) page.list.current?.reveal(active);
}

async function merge(page: Page): Promise<void> {
  const { ui, client } = page;
  const selected = ui.selection();
  const cells = selected.length > 1 ? selected : withNext(page, selected[0]);
  if (cells.length < 2) return void page.note({ text: "There is no cell below to merge with." });
  const elsewhere = ui.elsewhere();
  await ui.flush(cells);
  ui.deleting(cells.slice(1));
  const result = await ui.ordering(() => client.command({ kind: "mergeCells", cells }));
  if (!elsewhere()) ui.select(result.cells ?? cells.slice(0, 1));
}

function withNext(page: Page, cell: CellID | undefined): readonly CellID[] {
  const cells = order(page);
  const at = cell === undefined ? -1 : cells.indexOf(cell);
  return at < 0 ? [] : cells.slice(at, at + 2);
}

async function split(page: Page): Promise<void> {
  const { ui, client } = page;
  const { active } = ui.state;
  const editor = active === undefined ? undefined : ui.editor(active);
  if (active === undefined || !editor) return;
  const places = editor.selections().flatMap(({ anchor, head }) => [anchor, head]);
  const at = [...new Set(places)].sort((a, b) => a - b);
  const elsewhere = ui.elsewhere();
  await ui.flush([active]);
  const { cells = [] } = await ui.ordering(() => client.command({ kind: "splitCell", cell: active, at }));
  const last = cells.at(-1);
  if (client.store.cell(active)?.kind === "markdown") ui.write(cells, true);
  if (last !== undefined && !elsewhere()) ui.go(last, "edit", "start");
}

/** Clears the outputs of cells, with their counts and states, and offers to undo that; without cells it clears all. */
export async function clearOutputs(page: Page, cells?: readonly CellID[]): Promise<void> {
  const { client, note } = page;
  const { cells: cleared = [] } = await client.command({ kind: "clearOutputs", ...(cells && { cells }) });
  if (cleared.length === 0) return void note({ text: "There are no outputs to clear.", topic: "cleared" });
  const back = async (): Promise<void> => void (await client.command({ kind: "undo", outputs: true }));
  const text = cells ? "Outputs cleared." : `Outputs of ${counted(cleared.length, "cell")} cleared.`;
  note({ text, topic: "cleared", action: { label: "Undo", onSelect: () => void attempt(page, back) } });
}

/** Folds the outputs of cells, or unfolds them if those of the first are folded, in this browser alone. */
export function foldOutputs({ ui, client }: Page, cells: readonly CellID[]): void {
  const first = cells[0] ?? "";
  const folded = ui.state.folds.get(first)?.outputs ?? client.store.cell(first)?.hideOutputs ?? false;
  ui.fold(cells, { outputs: !folded });
}

/** Folds the sources of cells, or unfolds them if the first is folded, in this browser alone. */
export function foldSource({ ui, client }: Page, cells: readonly CellID[]): void {
  const first = cells[0] ?? "";
  ui.fold(cells, { source: !sourceFolded(ui.state.folds.get(first)?.source, client.store.cell(first)?.hideSource) });
}

/** Folds a cell for all users as it is folded here. */
export async function foldForAll({ ui, client }: Page, cell: CellID): Promise<void> {
  const fold = ui.state.folds.get(cell);
  await client.command({
    kind: "setVisibility",
    cells: [cell],
    ...(fold?.source === undefined ? {} : { source: !fold.source }),
    ...(fold?.outputs === undefined ? {} : { outputs: !fold.outputs }),
  });
  ui.unfold(cell);
}

function scrollOutputs({ ui }: Page): void {
  const cells = ui.selection();
  ui.fold(cells, { scrolled: !(ui.state.folds.get(cells[0] ?? "")?.scrolled ?? false) });
}

function toggleNumbers({ ui }: Page): void {
  const cells = ui.selection();
  ui.fold(cells, { numbers: !(ui.state.folds.get(cells[0] ?? "")?.numbers ?? ui.state.numbers) });
}
