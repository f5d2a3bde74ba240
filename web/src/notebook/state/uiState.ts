import type { CellID } from "../../core/event.js";
import type { FocusAt } from "../../editor/cellEditor.js";
import type { EditorHandle } from "../../editor/Editor.js";
import type { Mark } from "../../editor/marks.js";

/** Place is where a caret goes in an editor. */
export type Place = FocusAt;

/** Ghost is a deleted cell that stays in the page for as long as the person of this page types in it. */
export interface Ghost {
  readonly cell: CellID;
  /** The cells as they were when it was deleted. */
  readonly order: readonly CellID[];
}

/** Fold is what of a cell one has folded or opened in this browser, whatever the notebook says. */
export interface Fold {
  readonly source?: boolean;
  readonly outputs?: boolean;
  readonly scrolled?: boolean;
  readonly numbers?: boolean;
}

/** UISnapshot is what a page knows of how one works on it, and nobody else needs to. */
export interface UISnapshot {
  readonly mode: "command" | "edit";
  /** The cell that the keys are for. */
  readonly active: CellID | undefined;
  /** Where a selection of many cells began. */
  readonly anchor: CellID | undefined;
  /** The selected cells; the active one is always among them. */
  readonly selected: ReadonlySet<CellID>;
  /** Markdown cells that show their source. */
  readonly written: ReadonlySet<CellID>;
  readonly folds: ReadonlyMap<CellID, Fold>;
  readonly numbers: boolean;
  /** Cells with text that the core did not take. */
  readonly unsaved: ReadonlySet<CellID>;
  readonly ghost: Ghost | undefined;
  readonly panel: "find" | "keys" | undefined;
  /** What stands beside the cells. */
  readonly side: "variables" | undefined;
  /** What was found in the sources, while somebody looks for something. */
  readonly found: ReadonlyMap<CellID, readonly Mark[]> | undefined;
  /** A cell, or a line of it, to which something has just led. */
  readonly flash: { readonly cell: CellID; readonly line?: number; readonly turn: number } | undefined;
  /** The cell whose menu was asked for other than by its button, and how often. */
  readonly menu: { readonly cell: CellID; readonly turn: number } | undefined;
  /** Where dragged cells would go, in pixels from the top of the list. */
  readonly drop: number | undefined;
  /** What a screen reader says; the turn makes the same words said again. */
  readonly said: { readonly text: string; readonly turn: number };
  /** Counts what asked for the focus. */
  readonly focus: number;
  /** The last count for which nothing is scrolled: the text with the caret went to another cell. */
  readonly carried: number;
}

const nothing: UISnapshot = {
  mode: "command",
  active: undefined,
  anchor: undefined,
  selected: new Set(),
  written: new Set(),
  folds: new Map(),
  numbers: false,
  unsaved: new Set(),
  ghost: undefined,
  panel: undefined,
  side: undefined,
  found: undefined,
  flash: undefined,
  menu: undefined,
  drop: undefined,
  said: { text: "", turn: 0 },
  focus: 0,
  carried: 0,
};

/** UIState has what is only this page's: where one is, what is selected and folded, which editors there are. */
export class UIState {
  #state = nothing;
  readonly #listeners = new Set<() => void>();
  readonly #editors = new Map<CellID, EditorHandle>();
  readonly #going = new Set<CellID>();
  #orders = 0;
  #touches = 0;
  #points = 0;
  #ran: { readonly cells: ReadonlySet<CellID>; readonly touches: number } | undefined;
  readonly #order: () => readonly CellID[];
  /** Cells to which text with the caret went, each with the one from which it did. */
  #carried: { readonly from: CellID; readonly to: CellID }[] = [];
  #wanted: { readonly cell: CellID; readonly at: Place } | undefined;

  constructor(order: () => readonly CellID[], folds: ReadonlyMap<CellID, Fold> = nothing.folds) {
    this.#order = order;
    this.#state = { ...nothing, folds };
  }

  get state(): UISnapshot {
    return this.#state;
  }

  readonly listen = (f: () => void): (() => void) => {
    this.#listeners.add(f);
    return () => this.#listeners.delete(f);
  };

  set(change: Partial<UISnapshot>): void {
    this.#state = { ...this.#state, ...change };
    for (const f of this.#listeners) f();
  }

  /** Makes a cell the one and only that is selected, and the keys' focus goes there. */
  go(cell: CellID, mode: UISnapshot["mode"] = "command", at: Place = "keep"): void {
    this.#wanted = { cell, at };
    this.set({ mode, active: cell, anchor: cell, selected: new Set([cell]), focus: this.#state.focus + 1 });
  }

  /** Puts the caret of the person who types into another cell, to which others have taken the text. */
  carry(cell: CellID, at: Place, from: CellID): void {
    this.#carried.push({ from, to: cell });
    this.#state = { ...this.#state, carried: this.#state.focus + 1 };
    this.go(cell, "edit", at);
  }

  /** Returns the cells in their order as they were before a batch, with those that the caret went to while it was taken in. */
  withCarried(before: readonly CellID[]): readonly CellID[] {
    return this.#carried.splice(0).reduce((cells, { from, to }) => (cells.includes(to) ? cells : cells.toSpliced(cells.indexOf(from) + 1, 0, to)), before);
  }

  /** Notes where the focus went by itself, by a click or the Tab key. */
  entered(cell: CellID, mode: UISnapshot["mode"]): void {
    const { active, selected } = this.#state;
    if (active === cell && this.#state.mode === mode && (mode === "command" || selected.size === 1)) return;
    const keep = mode === "command" && selected.has(cell);
    this.set({ mode, active: cell, ...(keep ? {} : { anchor: cell, selected: new Set([cell]) }) });
  }

  /** Notes that the focus left the cells' editors. */
  left(): void {
    if (this.#state.mode === "edit") this.set({ mode: "command" });
  }

  /** Makes another cell the active one without asking for the focus. */
  place(cell: CellID | undefined): void {
    this.set({ mode: "command", active: cell, anchor: cell, selected: new Set(cell === undefined ? [] : [cell]) });
  }

  /** Selects the cells from the first that was selected up to this one. */
  extend(cell: CellID): void {
    const order = this.#order();
    const anchor = this.#state.anchor ?? cell;
    const [from, to] = [order.indexOf(anchor), order.indexOf(cell)].sort((a, b) => a - b);
    const selected = new Set(order.slice(Math.max(from ?? 0, 0), (to ?? 0) + 1));
    this.#wanted = { cell, at: "keep" };
    this.set({ mode: "command", active: cell, anchor, selected, focus: this.#state.focus + 1 });
  }

  /** Selects these cells. The first of them is the active one. */
  select(cells: readonly CellID[]): void {
    const first = cells[0];
    if (first === undefined) return;
    this.#wanted = { cell: first, at: "keep" };
    this.set({ mode: "command", active: first, anchor: first, selected: new Set(cells), focus: this.#state.focus + 1 });
  }

  /** Returns the selected cells in the order of the notebook. */
  selection(): readonly CellID[] {
    return this.#order().filter((id) => this.#state.selected.has(id));
  }

  /** Returns where the focus is to go, to the cell that asks whether it is the one. */
  take(cell: CellID): Place | undefined {
    if (this.#wanted?.cell !== cell) return undefined;
    const { at } = this.#wanted;
    this.#wanted = undefined;
    return at;
  }

  /** Shows a Markdown cell's source, or what it says. */
  write(cells: readonly CellID[], on: boolean): void {
    const written = new Set(this.#state.written);
    for (const id of cells) {
      if (on) written.add(id);
      else written.delete(id);
    }
    this.set({ written });
  }

  /** Notes that the core did not take what was typed into a cell, or that it has. */
  unsaved(cell: CellID, unsaved: boolean): void {
    if (this.#state.unsaved.has(cell) === unsaved) return;
    const cells = new Set(this.#state.unsaved);
    if (unsaved) cells.add(cell);
    else cells.delete(cell);
    this.set({ unsaved: cells });
  }

  fold(cells: readonly CellID[], fold: Fold): void {
    const folds = new Map(this.#state.folds);
    for (const id of cells) folds.set(id, { ...folds.get(id), ...fold });
    this.set({ folds });
  }

  /** Lets a cell be folded as the notebook says. */
  unfold(cell: CellID): void {
    const { source: _, outputs: __, ...rest } = this.#state.folds.get(cell) ?? {};
    this.set({ folds: new Map(this.#state.folds).set(cell, rest) });
  }

  flash(cell: CellID, line?: number): void {
    const turn = (this.#state.flash?.turn ?? 0) + 1;
    this.set({ flash: { cell, turn, ...(line === undefined ? {} : { line }) } });
  }

  /** Opens the menu of a cell. */
  openMenu(cell: CellID): void {
    this.set({ menu: { cell, turn: (this.#state.menu?.turn ?? 0) + 1 } });
  }

  /** Has a screen reader say something when it has finished what it says. */
  say(text: string): void {
    this.set({ said: { text, turn: this.#state.said.turn + 1 } });
  }

  /** Notes that these cells go by one's own will, so that nothing needs to be said about it. */
  deleting(cells: readonly CellID[]): void {
    for (const id of cells) this.#going.add(id);
  }

  /** Notes that what an order of one's own deletes until it is done goes by one's own will. */
  async ordering<T>(order: () => Promise<T>): Promise<T> {
    this.#orders++;
    try {
      return await order();
    } finally {
      this.#orders--;
    }
  }

  /** Whether an order of one's own is under way. */
  get orders(): boolean {
    return this.#orders > 0;
  }

  /** Returns, once, whether a cell went by one's own will. */
  deleted(cell: CellID): boolean {
    return this.#going.delete(cell) || this.#orders > 0;
  }

  /** Notes that a key or a button of the pointer was pressed. */
  touched(): void {
    this.#touches++;
  }

  /** Notes that a button of the pointer was pressed. */
  pointed(): void {
    this.#points++;
  }

  /** Returns what says whether the pointer was pressed since now: who went elsewhere meanwhile is not led away from there. */
  elsewhere(): () => boolean {
    const before = this.#points;
    return () => this.#points !== before;
  }

  /** Notes that cells were run with the last press. */
  ran(cells: readonly CellID[]): void {
    this.#ran = { cells: new Set(cells), touches: this.#touches };
  }

  /** Whether a cell was run with the last press, so that its program may take the focus to ask something. */
  awaits(cell: CellID): boolean {
    return this.#ran?.touches === this.#touches && this.#ran.cells.has(cell);
  }

  /** Notes the editor of a cell, or that there is none any more. */
  edits(cell: CellID, handle: EditorHandle | null): void {
    if (handle) this.#editors.set(cell, handle);
    else this.#editors.delete(cell);
  }

  editor(cell: CellID): EditorHandle | undefined {
    return this.#editors.get(cell);
  }

  /** Resolves when what was typed into these cells is with the core; no cells means all. */
  async flush(cells?: readonly CellID[]): Promise<void> {
    const editors = cells === undefined ? [...this.#editors.values()] : cells.flatMap((id) => this.#editors.get(id) ?? []);
    await Promise.all(editors.map((editor) => editor.flush()));
  }
}
