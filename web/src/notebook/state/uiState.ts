import type { CellID } from "../../core/event.js";
import type { FocusAt } from "../../editor/cellEditor.js";
import type { EditorHandle } from "../../editor/Editor.js";
import type { Mark } from "../../editor/marks.js";

/** Place is the caret's target in an editor. */
export type Place = FocusAt;

/** Ghost is a deleted cell that stays in the page while the user types in it. */
export interface Ghost {
  readonly cell: CellID;
  /** The order of the cells at the time of the deletion. */
  readonly order: readonly CellID[];
}

/** Fold is the folding of a cell in this browser, which overrides the notebook's. */
export interface Fold {
  readonly source?: boolean;
  readonly outputs?: boolean;
  readonly scrolled?: boolean;
  readonly numbers?: boolean;
}

/** UISnapshot is the state of the user interface that belongs to this page alone. */
export interface UISnapshot {
  readonly mode: "command" | "edit";
  /** The cell that keys apply to. */
  readonly active: CellID | undefined;
  /** The first cell of an extended selection. */
  readonly anchor: CellID | undefined;
  /** The selected cells, including the active one. */
  readonly selected: ReadonlySet<CellID>;
  /** Markdown cells that show their source. */
  readonly written: ReadonlySet<CellID>;
  readonly folds: ReadonlyMap<CellID, Fold>;
  readonly numbers: boolean;
  /** Cells with text that the core refused. */
  readonly unsaved: ReadonlySet<CellID>;
  readonly ghost: Ghost | undefined;
  readonly panel: "find" | "keys" | undefined;
  /** The panel beside the cells. */
  readonly side: "variables" | undefined;
  /** The matches of a search in the sources, while the search is open. */
  readonly found: ReadonlyMap<CellID, readonly Mark[]> | undefined;
  /** A cell, or a line of it, that a jump has just reached. */
  readonly flash: { readonly cell: CellID; readonly line?: number; readonly turn: number } | undefined;
  /** The cell whose menu was opened without its button, and a counter. */
  readonly menu: { readonly cell: CellID; readonly turn: number } | undefined;
  /** The place of the drop line, in pixels from the top of the list. */
  readonly drop: number | undefined;
  /** The announcement for screen readers; another turn repeats the same words. */
  readonly said: { readonly text: string; readonly turn: number };
  /** Counts focus requests. */
  readonly focus: number;
  /** The last focus request that does not scroll: the text with the caret was moved to another cell. */
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

/** UIState is the page's own state: the active cell, selection, folds, and the mounted editors. */
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
  /** Cells that received text with the caret, each with the cell that it came from. */
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

  /** Selects one cell alone, and focuses it. */
  go(cell: CellID, mode: UISnapshot["mode"] = "command", at: Place = "keep"): void {
    this.#wanted = { cell, at };
    this.set({ mode, active: cell, anchor: cell, selected: new Set([cell]), focus: this.#state.focus + 1 });
  }

  /** Moves the user's caret to the cell to which others moved its text. */
  carry(cell: CellID, at: Place, from: CellID): void {
    this.#carried.push({ from, to: cell });
    this.#state = { ...this.#state, carried: this.#state.focus + 1 };
    this.go(cell, "edit", at);
  }

  /** Returns the cells in their order before a batch, with the cells that received the caret during the batch. */
  withCarried(before: readonly CellID[]): readonly CellID[] {
    return this.#carried.splice(0).reduce((cells, { from, to }) => (cells.includes(to) ? cells : cells.toSpliced(cells.indexOf(from) + 1, 0, to)), before);
  }

  /** Records a focus change by a click or the Tab key. */
  entered(cell: CellID, mode: UISnapshot["mode"]): void {
    const { active, selected } = this.#state;
    if (active === cell && this.#state.mode === mode && (mode === "command" || selected.size === 1)) return;
    const keep = mode === "command" && selected.has(cell);
    this.set({ mode, active: cell, ...(keep ? {} : { anchor: cell, selected: new Set([cell]) }) });
  }

  /** Records that the focus left the editors. */
  left(): void {
    if (this.#state.mode === "edit") this.set({ mode: "command" });
  }

  /** Makes another cell the active one without a focus request. */
  place(cell: CellID | undefined): void {
    this.set({ mode: "command", active: cell, anchor: cell, selected: new Set(cell === undefined ? [] : [cell]) });
  }

  /** Extends the selection from its first cell to this one. */
  extend(cell: CellID): void {
    const order = this.#order();
    const anchor = this.#state.anchor ?? cell;
    const [from, to] = [order.indexOf(anchor), order.indexOf(cell)].sort((a, b) => a - b);
    const selected = new Set(order.slice(Math.max(from ?? 0, 0), (to ?? 0) + 1));
    this.#wanted = { cell, at: "keep" };
    this.set({ mode: "command", active: cell, anchor, selected, focus: this.#state.focus + 1 });
  }

  /** Selects cells. The first of them becomes the active one. */
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

  /** Returns the requested caret position once, to the cell that the request is for. */
  take(cell: CellID): Place | undefined {
    if (this.#wanted?.cell !== cell) return undefined;
    const { at } = this.#wanted;
    this.#wanted = undefined;
    return at;
  }

  /** Shows the source of Markdown cells, or renders them. */
  write(cells: readonly CellID[], on: boolean): void {
    const written = new Set(this.#state.written);
    for (const id of cells) {
      if (on) written.add(id);
      else written.delete(id);
    }
    this.set({ written });
  }

  /** Records whether the core refused the text of a cell. */
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

  /** Removes the browser's own folding of a cell. */
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

  /** Queues an announcement for screen readers. */
  say(text: string): void {
    this.set({ said: { text, turn: this.#state.said.turn + 1 } });
  }

  /** Records deletions by the user, which need no announcement. */
  deleting(cells: readonly CellID[]): void {
    for (const id of cells) this.#going.add(id);
  }

  /** Runs a command of the user: its deletions need no announcement. */
  async ordering<T>(order: () => Promise<T>): Promise<T> {
    this.#orders++;
    try {
      return await order();
    } finally {
      this.#orders--;
    }
  }

  /** Whether a command of the user is under way. */
  get orders(): boolean {
    return this.#orders > 0;
  }

  /** Returns, once, whether the user deleted a cell. */
  deleted(cell: CellID): boolean {
    return this.#going.delete(cell) || this.#orders > 0;
  }

  /** Records a press of a key or of a pointer button. */
  touched(): void {
    this.#touches++;
  }

  /** Records a press of a pointer button. */
  pointed(): void {
    this.#points++;
  }

  /** Returns a function that reports whether the pointer was pressed since now: a command that ends later must not take the user away. */
  elsewhere(): () => boolean {
    const before = this.#points;
    return () => this.#points !== before;
  }

  /** Records that cells were run by the last press. */
  ran(cells: readonly CellID[]): void {
    this.#ran = { cells: new Set(cells), touches: this.#touches };
  }

  /** Whether a cell was run by the last press, so its program may take the focus for a question. */
  awaits(cell: CellID): boolean {
    return this.#ran?.touches === this.#touches && this.#ran.cells.has(cell);
  }

  /** Registers the editor of a cell, or removes it. */
  edits(cell: CellID, handle: EditorHandle | null): void {
    if (handle) this.#editors.set(cell, handle);
    else this.#editors.delete(cell);
  }

  editor(cell: CellID): EditorHandle | undefined {
    return this.#editors.get(cell);
  }

  /** Resolves when the core has the text typed into these cells; without cells, into all. */
  async flush(cells?: readonly CellID[]): Promise<void> {
    const editors = cells === undefined ? [...this.#editors.values()] : cells.flatMap((id) => this.#editors.get(id) ?? []);
    await Promise.all(editors.map((editor) => editor.flush()));
  }
}
