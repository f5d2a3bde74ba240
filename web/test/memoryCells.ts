import type { CellID } from "../src/core/event.js";
import type { CellRow, Store } from "../src/core/store.js";
import type { Cell, Copied, MoveCells, Result, SetMetadata, SetVisibility, SplitCell } from "../src/core/view.js";
import type { MemoryTexts } from "./memoryTexts.js";

/** Place is the place of cells: beside an existing one, else at the end. */
interface Place {
  readonly after?: CellID;
  readonly before?: CellID;
}

/** MemoryCells executes the commands of a {@link MemoryClient} on cells. */
export class MemoryCells {
  readonly #store: Store;
  readonly #texts: MemoryTexts;
  /** All cells in order, including deleted ones, so a restored cell returns to its place. */
  #order: readonly CellID[] = [];
  #made = 0;

  constructor(store: Store, texts: MemoryTexts) {
    this.#store = store;
    this.#texts = texts;
  }

  /** The existing cells, in order. */
  get ids(): readonly CellID[] {
    return this.#order.filter((id) => !this.row(id).deleted);
  }

  row(id: CellID): CellRow {
    const row = this.#store.cell(id);
    if (!row) throw new Error(`there is no cell ${id}`);
    return row;
  }

  add(items: readonly Copied[], place: Place = {}): Result {
    const at = this.#place(place);
    const cells = items.map((item) => this.#make(item));
    const ids = cells.map((cell) => cell.id);
    this.#order = this.#order.toSpliced(at, 0, ...ids);
    const outputs = items.flatMap((item, i) => {
      const cell = ids[i] ?? "";
      return (item.outputs ?? []).map((value, n) => ({ id: `${cell}.${n}`, cell, value }));
    });
    this.#store.apply({ cells, outputs });
    this.#show();
    return { cells: ids };
  }

  delete(ids: readonly CellID[]): Result {
    const at = Math.max(0, Math.min(...ids.map((id) => this.ids.indexOf(id))));
    this.change(ids, { deleted: true });
    this.#show();
    const next = this.ids[at] ?? this.ids.at(-1);
    return { cells: next === undefined ? [] : [next] };
  }

  restore(ids: readonly CellID[]): Result {
    this.change(ids, { deleted: false });
    this.#show();
    return { cells: ids };
  }

  move({ cells, ...place }: MoveCells): Result {
    const moving = new Set(cells);
    if (moving.has(place.after ?? place.before ?? "")) return { cells };
    const block = this.#order.filter((id) => moving.has(id));
    this.#order = this.#order.filter((id) => !moving.has(id));
    this.#order = this.#order.toSpliced(this.#place(place), 0, ...block);
    this.#show();
    return { cells };
  }

  setVisibility({ cells, source, outputs, context }: SetVisibility): Result {
    return this.change(cells, {
      ...(source !== undefined && { hideSource: !source }),
      ...(outputs !== undefined && { hideOutputs: !outputs }),
      ...(context !== undefined && { hideContext: !context }),
    });
  }

  setMetadata({ cell, key, value }: SetMetadata): Result {
    const { [key]: _, ...rest } = (cell === undefined ? this.#store.notebook() : this.row(cell))?.metadata ?? {};
    const metadata = value === undefined || value === null ? rest : { ...rest, [key]: value };
    if (cell !== undefined) return this.change([cell], { metadata });
    this.#show({ metadata });
    return {};
  }

  split({ cell, at }: SplitCell): Result {
    const { source } = this.#texts.of(cell);
    const places = [...new Set(at)].sort((a, b) => a - b);
    const parts = [0, ...places].map((start, i) => source.slice(start, places[i]));
    this.#texts.replace(cell, parts[0] ?? "");
    const { kind, language } = this.row(cell);
    const like = { cellKind: kind, ...(language !== undefined && { language }) };
    const made = this.add(
      parts.slice(1).map((part) => ({ ...like, source: part })),
      { after: cell },
    );
    return { cells: [cell, ...(made.cells ?? [])] };
  }

  merge(cells: readonly CellID[]): Result {
    const [first, ...others] = this.ids.filter((id) => cells.includes(id));
    if (first === undefined) throw new Error("there are no cells to merge");
    this.#texts.replace(first, [first, ...others].map((id) => this.#texts.of(id).source).join("\n\n"));
    if (others.length > 0) this.delete(others);
    return { cells: [first] };
  }

  setTitle(title: string): Result {
    this.#show({ title });
    return {};
  }

  /** Replaces parts of rows. */
  change(ids: readonly CellID[], parts: Partial<CellRow>): Result {
    this.#store.apply({ cells: ids.map((id) => ({ ...this.row(id), ...parts })) });
    return { cells: ids };
  }

  #make({ cellKind, language, source, metadata, outputs, count }: Copied): Cell {
    const id = `c${++this.#made}`;
    return {
      id,
      kind: cellKind,
      ...(language !== undefined && { language }),
      ...(metadata && { metadata }),
      ...(outputs && { outputs: outputs.map((_, n) => `${id}.${n}`) }),
      ...(count !== undefined && { count }),
      text: this.#texts.begin(id, source ?? ""),
    };
  }

  #place({ after, before }: Place): number {
    const beside = after ?? before;
    if (beside === undefined) return this.#order.length;
    const at = this.#order.indexOf(beside);
    if (at < 0) throw new Error(`there is no cell ${beside}`);
    return after === undefined ? at : at + 1;
  }

  #show(parts: { readonly title?: string; readonly metadata?: CellRow["metadata"] & object } = {}): void {
    const before = this.#store.notebook() ?? { title: "", language: "python" };
    this.#store.apply({ notebook: { ...before, ...parts, cells: this.ids } });
  }
}
