import type { CellID } from "../../core/event.js";
import type { Store } from "../../core/store.js";
import type { Text } from "../../core/view.js";

const line = 20; // of code, in pixels
const frame = 44; // around the source of a cell
const tallest = 480; // an output's height before it scrolls on its own

/** Heights remembers the measured heights of cells, and estimates the others. */
export class Heights {
  readonly #measured = new Map<CellID, number>();
  readonly #lines = new WeakMap<Text, number>();
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  measured(cell: CellID, height: number): void {
    this.#measured.set(cell, height);
  }

  of(cell: CellID): number {
    return this.#measured.get(cell) ?? this.#guess(cell);
  }

  #guess(cell: CellID): number {
    const text = this.#store.text(cell);
    const row = this.#store.cell(cell);
    const source = row?.hideSource ? 1 : text ? this.#linesOf(text) : 1;
    const outputs = row?.hideOutputs ? [] : (row?.outputs ?? []);
    return frame + source * line + outputs.reduce((sum, output) => sum + this.#guessOutput(output), 0);
  }

  #guessOutput(id: string): number {
    const output = this.#store.output(id);
    if (!output) return line;
    if (output.log) return Math.min(output.log.lines * line, tallest) + 8;
    if (output.value.error) return Math.min((output.value.error.trace?.length ?? 1) * line + line, tallest);
    const types = Object.keys(output.value.data ?? output.value.artifacts ?? {});
    return types.some((type) => type !== "text/plain") ? 240 : line + 8;
  }

  #linesOf(text: Text): number {
    const known = this.#lines.get(text);
    if (known !== undefined) return known;
    let lines = 1;
    for (let at = text.source.indexOf("\n"); at >= 0; at = text.source.indexOf("\n", at + 1)) lines++;
    this.#lines.set(text, lines);
    return lines;
  }
}
