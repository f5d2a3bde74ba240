import { applyEdit } from "../src/core/edit.js";
import type { CellID, Edit } from "../src/core/event.js";
import type { Store } from "../src/core/store.js";
import type { Piece, Result, Text, TextPush, TextUpdate } from "../src/core/view.js";

/** MemoryTexts holds the sources of a {@link MemoryClient}, which may change before the store shows it. */
export class MemoryTexts {
  readonly #store: Store;
  readonly #texts = new Map<CellID, Text>();
  readonly #held: TextUpdate[] = [];
  #holding = false;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Creates a source, at a version other than 0. */
  begin(cell: CellID, source: string): Text {
    const text = { version: 0, source };
    this.#texts.set(cell, text);
    return text;
  }

  of(cell: CellID): Text {
    const text = this.#texts.get(cell);
    if (!text) throw new Error(`there is no cell ${cell}`);
    return text;
  }

  push({ cell, version, by, edits }: TextPush): boolean {
    const text = this.of(cell);
    if (version > text.version) throw new Error(`the source of cell ${cell} is at version ${text.version}, not at ${version}`);
    if (version < text.version) return false;
    this.edit(cell, edits, by);
    return true;
  }

  /** Makes edits, and applies them to the store unless updates are withheld. */
  edit(cell: CellID, edits: readonly Edit[], by?: string): void {
    for (const edit of edits) {
      const { version, source } = this.of(cell);
      this.#texts.set(cell, { version: version + 1, source: applyEdit(source, edit) });
      this.#held.push({ cell, version, edit, ...(by !== undefined && { by }) });
    }
    if (!this.#holding) this.show();
  }

  /** Replaces a source by an edit of the part that differs. */
  replace(cell: CellID, to: string): void {
    const { source } = this.of(cell);
    if (source === to) return;
    let start = 0;
    while (start < source.length && source[start] === to[start]) start++;
    let end = 0;
    while (end < Math.min(source.length, to.length) - start && source.at(-1 - end) === to.at(-1 - end)) end++;
    const edit = [start, start + end - source.length, to.slice(start, to.length - end)];
    this.edit(cell, [edit.filter((part) => part !== 0 && part !== "")]);
  }

  /** Replaces existing pieces of sources, in one edit a cell. */
  replacePieces(pieces: readonly Piece[]): Result {
    const cells = [...new Set(pieces.map(({ cell }) => cell))];
    let skipped = 0;
    const changed = cells.filter((cell) => {
      const { source } = this.of(cell);
      const own = pieces.filter((piece) => piece.cell === cell && source.startsWith(piece.was, piece.at));
      skipped += pieces.filter((piece) => piece.cell === cell).length - own.length;
      const to = own.toReversed().reduce((text, { at, was, text: by }) => text.slice(0, at) + by + text.slice(at + was.length), source);
      this.replace(cell, to);
      return own.length > 0;
    });
    return { cells: changed, ...(skipped > 0 && { skipped }) };
  }

  insert(cell: CellID, at: number, text: string): Result {
    const { source } = this.of(cell);
    this.replace(cell, source.slice(0, at) + text + source.slice(at));
    return { cells: [cell] };
  }

  /** Replaces a source and its version as a whole, as a restarted core does. */
  reset(cell: CellID, text: Text): void {
    this.#held.length = 0;
    this.#texts.set(cell, text);
  }

  hold(): void {
    this.#holding = true;
  }

  letGo(): void {
    this.#holding = false;
    this.show();
  }

  /** Applies a number of withheld updates to the store, all by default. */
  show(count = this.#held.length): void {
    const texts = this.#held.splice(0, count);
    if (texts.length > 0) this.#store.apply({ texts });
  }
}
