import { useEffect } from "react";
import type { CellID } from "../core/event.js";
import { composedEvent } from "../editor/cellEditor.js";
import type { Composed } from "../editor/composition.js";
import type { EditorHandle } from "../editor/Editor.js";
import { type Carried, type Merge, merged, mergedComposed, split, splitComposed, torn } from "./carry.js";
import { deletionOf, keepGhost, typedCell } from "./ghost.js";
import { heirOf } from "./heir.js";
import { offerBack } from "./offerBack.js";
import type { Page } from "./page.js";

/**
 * Follows what others do to the cells. A cell that is typed in stays when it is deleted, and the caret goes with its
 * text to another cell; in command mode another cell takes over, and it is said why.
 */
export function useDeleted(page: Page): void {
  useEffect(() => {
    const { store } = page.client;
    let before = store.notebook()?.cells ?? [];
    if (page.desk.state.active === undefined) page.desk.place(before[0]);
    let composing: Composing | undefined;
    const stop = store.listen("notebook", () => {
      const now = store.notebook()?.cells ?? [];
      const old = before;
      before = now;
      if (now === old) return;
      const typed = typedCell(page);
      if (typed !== undefined && page.desk.editor(typed)?.composing()) composing = noted(page, composing, typed, old, now);
      settle(page, old, now);
    });
    const end = (): void => {
      const held = composing;
      composing = undefined;
      if (held) settleComposed(page, held);
    };
    document.addEventListener(composedEvent, end);
    return () => {
      stop();
      document.removeEventListener(composedEvent, end);
    };
  }, [page]);
}

/** Composing is a cell in which an input method was at work when others split or merged cells, and what they did. */
interface Composing {
  readonly cell: CellID;
  /** The cells before the first of it. */
  readonly before: readonly CellID[];
  /** The cell into which this one was merged. */
  readonly merge: Merge | undefined;
  /** The sources of the cells that were merged into this one. */
  readonly below: readonly string[];
}

/** Adds to what others did to a cell while an input method is at work in it. */
function noted(page: Page, sofar: Composing | undefined, cell: CellID, before: readonly CellID[], now: readonly CellID[]): Composing {
  const known = sofar?.cell === cell ? sofar : { cell, before, merge: undefined, below: [] };
  const there = new Set(now);
  if (!before.includes(cell)) return known;
  if (!there.has(cell)) return { ...known, merge: mergeOf(page, cell, before, there) };
  return { ...known, below: [...known.below, ...goneBelow(page, cell, before, there)] };
}

/** Lets the caret follow its text to where others took it while an input method was at work in the cell. */
function settleComposed(page: Page, { cell, before, merge: made, below }: Composing): void {
  const { client: { store }, desk } = page;
  const editor = desk.editor(cell);
  const composed = editor?.composed();
  const rest = store.text(cell)?.source;
  if (!editor || !composed || rest === undefined || desk.state.mode !== "edit" || desk.state.active !== cell) return;
  const cells = store.notebook()?.cells ?? [];
  const had = editor.source();
  const merge = !cells.includes(cell) && cells.includes(made?.cell ?? "") ? made : undefined;
  const carried = merge ? mergedComposed(had, composed, merge) : cells.includes(cell) ? splitComposed(had, composed, rest, madeBelow(page, cell, before, cells)) : undefined;
  if (!carried) return void setTimeout(() => mend(editor, had, editor.source(), below), 0); // now that the editor has what it held back
  if (merge) desk.set({ ghost: undefined });
  moveOn(page, carried);
  if (!merge) setTimeout(() => cutComposed(editor, composed, carried), 0);
}

/** Takes away what is left of what was composed in the cell from which it was carried, now that the editor has what it held back. */
function cutComposed(editor: EditorHandle, { from, to, texts }: Composed, { text, strays: { at, length } }: Carried): void {
  const left = editor.source().slice(at);
  const hers = texts.join("") + text;
  if (left.length <= to - from + length && [...left].every((letter) => hers.includes(letter))) editor.cut(at, left.length);
}

function settle(page: Page, before: readonly CellID[], now: readonly CellID[]): void {
  const { desk } = page;
  const there = new Set(now);
  const { active, selected, ghost } = desk.state;
  if (ghost && there.has(ghost.cell)) desk.set({ ghost: undefined });
  const own = active !== undefined && !there.has(active) && desk.deleted(active);
  const typed = typedCell(page);
  if (typed !== undefined && before.includes(typed)) {
    const carried = desk.state.mode !== "edit" ? undefined : there.has(typed) ? carriedBySplit(page, typed, before, now) : carriedByMerge(page, typed, before, there);
    if (carried) return carry(page, typed, carried);
    mendMerged(page, typed, before, there);
    if (!there.has(typed) && !(typed === active ? own : desk.deleted(typed))) keepGhost(page, typed, before);
  }
  if (active === undefined) return desk.place(now[0]);
  if (there.has(active)) return drop(desk, selected, there);
  if (desk.state.ghost?.cell === active) return;
  const heir = heirOf(before, there, active);
  const focused = document.activeElement;
  if (heir === undefined || !(focused === document.body || focused?.closest("[data-list]"))) desk.place(heir);
  else desk.go(heir);
  if (own) return;
  offerBack(page, [active], deletionOf(page, active, "the cell you were in")); // with what was typed in it, which is not gone
  if (heir !== undefined) desk.say(`You are in cell ${now.indexOf(heir) + 1}.`);
}

/** Takes cells that are gone out of the selection. */
function drop(desk: Page["desk"], selected: ReadonlySet<CellID>, there: ReadonlySet<CellID>): void {
  if ([...selected].every((id) => there.has(id))) return;
  desk.set({ selected: new Set([...selected].filter((id) => there.has(id))) });
}

/** Returns where the text with the caret went if another person split the cell. */
function carriedBySplit(page: Page, cell: CellID, before: readonly CellID[], now: readonly CellID[]): Carried | undefined {
  const { client: { store }, desk } = page;
  const editor = desk.editor(cell);
  const rest = store.text(cell)?.source;
  const made = madeBelow(page, cell, before, now);
  if (!editor || editor.composing() || rest === undefined || made.length === 0 || desk.orders) return undefined;
  const composed = justComposed(editor);
  return split(editor.source(), headOf(editor), rest, made) ?? (composed && splitComposed(editor.source(), composed, rest, made));
}

function headOf(editor: EditorHandle): number {
  return editor.selections()[0]?.head ?? 0;
}

/** Returns what an input method has made right before the caret: others may have seen any of it. */
function justComposed(editor: EditorHandle): Composed | undefined {
  const composed = editor.composed();
  return composed?.to === headOf(editor) ? composed : undefined;
}

/** Returns the cells that came right below a cell. */
function madeBelow({ client: { store } }: Page, cell: CellID, before: readonly CellID[], now: readonly CellID[]): readonly { readonly cell: CellID; readonly source: string }[] {
  const old = new Set(before);
  const after = now.slice(now.indexOf(cell) + 1);
  const next = after.findIndex((id) => old.has(id));
  return after.slice(0, next < 0 ? after.length : next).map((id) => ({ cell: id, source: store.text(id)?.source ?? "" }));
}

/** Returns where the text with the caret went if another person merged the cell into one above. */
function carriedByMerge(page: Page, cell: CellID, before: readonly CellID[], there: ReadonlySet<CellID>): Carried | undefined {
  const editor = page.desk.editor(cell);
  const merge = mergeOf(page, cell, before, there);
  if (!editor || !merge || editor.composing()) return undefined;
  const composed = justComposed(editor);
  return merged(editor.source(), headOf(editor), merge) ?? (composed && mergedComposed(editor.source(), composed, merge));
}

/** Returns what another person made of the cell above one that is gone, if its text is not as it was. */
function mergeOf(page: Page, cell: CellID, before: readonly CellID[], there: ReadonlySet<CellID>): Merge | undefined {
  const { store } = page.client;
  const into = before.slice(0, before.indexOf(cell)).findLast((id) => there.has(id));
  const had = into === undefined ? undefined : store.textBefore(into)?.source;
  const has = into === undefined ? undefined : store.text(into)?.source;
  if (into === undefined || had === undefined || has === undefined || had === has) return undefined;
  return { cell: into, had, has, after: goneBelow(page, cell, before, there) };
}

/** Returns the sources of the cells right below one that are gone. */
function goneBelow({ client: { store } }: Page, cell: CellID, before: readonly CellID[], there: ReadonlySet<CellID>): readonly string[] {
  const below = before.slice(before.indexOf(cell) + 1);
  const next = below.findIndex((id) => there.has(id));
  return below.slice(0, next < 0 ? below.length : next).map((id) => store.text(id)?.source ?? "");
}

/** Puts what is typed at the end of a cell back together, if another person has just merged the cells below into it. */
function mendMerged(page: Page, cell: CellID, before: readonly CellID[], there: ReadonlySet<CellID>): void {
  const { client: { store }, desk } = page;
  const editor = desk.editor(cell);
  const has = store.text(cell)?.source;
  if (!editor || editor.composing() || has === undefined || desk.orders || desk.state.mode !== "edit" || !there.has(cell)) return;
  const had = editor.source();
  const below = goneBelow(page, cell, before, there);
  queueMicrotask(() => mend(editor, had, has, below)); // when the editor has what was merged
}

/** Puts what is typed in an editor before the sources that came between, if they did. */
function mend(editor: EditorHandle, had: string, has: string, below: readonly string[]): void {
  const piece = torn(had, has, below);
  if (piece && !editor.composing()) editor.mend(piece);
}

function there({ client: { store } }: Page, cell: CellID): boolean {
  return store.notebook()?.cells.includes(cell) ?? false;
}

/** Lets the caret go on in the cell to which its text went. */
function carry(page: Page, from: CellID, carried: Carried): void {
  const editor = page.desk.editor(from);
  const composed = editor && justComposed(editor);
  const { at, length } = carried.strays;
  moveOn(page, carried);
  queueMicrotask(() => (editor && composed && there(page, from) ? cutComposed(editor, composed, carried) : editor?.cut(at, length))); // when the editor has the edit that took the text away
}

function moveOn({ client, desk, hold }: Page, { cell, was, text, head }: Carried): void {
  if (client.store.cell(cell)?.kind === "markdown") desk.write([cell], true);
  hold.current?.carry();
  desk.carry(cell, { was, text, head });
}
