import type { ChangeSet } from "@codemirror/state";
import type { Edit } from "../core/event.js";
import type { MovedPart } from "../core/view.js";
import { partsOf, type Piece } from "./here.js";

/** Source is a text of which pieces move to other cells, with its unsent changes. */
export interface Source {
  readonly text: string;
  readonly typed: ChangeSet;
  /** The caret's place in the text with the unsent changes; undefined if it is elsewhere. */
  readonly head: number | undefined;
  /** The pieces of the text that were typed at this page. */
  readonly here: readonly Piece[];
}

/** Followed is the part of the unsent changes that follows the text, and the part that stays. */
export interface Followed {
  /** The edit that each part gets on the moved text, and the caret's place in the result. */
  readonly parts: readonly { readonly edit: Edit; readonly head?: number }[];
  /** The followed pieces, as ranges of the source after the removal of the text. */
  readonly cuts: readonly Piece[];
}

/** Run is a run of units of a text that all stay or all move to one part. */
interface Run {
  readonly from: number;
  readonly to: number;
  /** The target part, -1 for units that stay. */
  readonly part: number;
  /** taken: moved to the part. line ends: dropped. between: unknown to the author of the move. */
  readonly kind: "stays" | "taken" | "line ends" | "between";
}

/**
 * Returns the unsent changes that follow a text that an edit removes; without an edit the whole text is removed. Changes behind
 * the first removed unit follow it: into the part of the text that they were made in, and to the start of a part if they were
 * made in the line ends before it. So do changes that the core already has and the author of the move did not know, if they
 * were typed here: the page of another user moves that user's changes.
 */
export function follow({ text, typed, head, here }: Source, taken: Edit | undefined, parts: readonly MovedPart[]): Followed {
  const runs = runsOf(text.length, taken, parts);
  const first = taken === undefined ? 0 : -1; // with the whole text its start moves too
  const out = new Output(parts.length, head, first);
  const keep = (from: number, to: number): void => {
    for (const run of runs) {
      const [start, end] = [Math.max(from, run.from), Math.min(to, run.to)];
      const pieces = run.kind === "between" ? partsOf({ from: start, to: end }, here) : [{ from: start, to: end, within: false }];
      for (const piece of start < end ? pieces : []) {
        if (piece.within) out.insert(run.part, text.slice(piece.from, piece.to));
        else out.keep(run, piece.to - piece.from);
      }
    }
  };
  let at = 0;
  typed.iterChanges((from, to, _fromB, _toB, inserted) => {
    keep(at, from);
    if (inserted.length > 0) out.insert(ownerOf(runs, from, to, first), inserted.sliceString(0, inserted.length, "\n"));
    for (const run of runs) out.drop(run, Math.min(to, run.to) - Math.max(from, run.from));
    at = to;
  }, true);
  keep(at, text.length);
  return out.followed();
}

/** Splits a text by the targets of its units. */
function runsOf(length: number, taken: Edit | undefined, parts: readonly MovedPart[]): readonly Run[] {
  const runs: Run[] = [];
  const pieces = parts.flatMap(({ skip = 0, length: of }, part) => [
    { part, kind: "line ends" as const, left: skip },
    { part, kind: "taken" as const, left: of },
  ]);
  let at = 0;
  const take = (count: number): void => {
    while (count > 0) {
      while (pieces.length > 1 && pieces[0]?.left === 0) pieces.shift();
      const piece = pieces[0];
      if (!piece) return;
      const n = pieces.length === 1 ? count : Math.min(count, piece.left);
      runs.push({ from: at, to: at + n, part: piece.part, kind: piece.kind });
      piece.left -= n;
      at += n;
      count -= n;
    }
  };
  const stay = (count: number): void => {
    const part = runs.at(-1)?.part ?? -1;
    if (count > 0) runs.push({ from: at, to: at + count, part, kind: part < 0 ? "stays" : "between" });
    at += count;
  };
  for (const step of taken ?? [-length]) {
    if (typeof step === "string") continue;
    if (step > 0) stay(step);
    else take(-step);
  }
  stay(length - at);
  return runs;
}

/** Returns the part of a change: for a replacement the part of the replaced text, else the part of the text before it. */
function ownerOf(runs: readonly Run[], from: number, to: number, first: number): number {
  const at = to > from ? from : from - 1;
  return runs.find((run) => run.from <= at && at < run.to)?.part ?? first;
}

/** Output writes the followed changes, from the start to the end of the source with its unsent changes. */
class Output {
  readonly #parts: { readonly edit: (number | string)[]; length: number; head: number | undefined }[];
  readonly #cuts: { from: number; to: number }[] = [];
  readonly #head: number | undefined;
  /** The number of units read, and their number in the source after the removal. */
  #read = 0;
  #left = 0;

  constructor(parts: number, head: number | undefined, first: number) {
    this.#parts = Array.from({ length: parts }, () => ({ edit: [], length: 0, head: undefined }));
    this.#head = head;
    const part = this.#parts[first];
    if (part && head === 0) part.head = 0;
  }

  /** Goes on by text that was not changed. The caret goes with what is around it also where the text stays. */
  keep({ part, kind }: Run, length: number): void {
    const to = this.#parts[part];
    if (!to) return this.#stay(length);
    this.#pass(to, length, kind === "taken" ? length : 0);
    if (kind === "between") this.#left += length;
    if (kind !== "taken") return;
    to.edit.push(length);
    to.length += length;
  }

  /** Advances over inserted text, which goes to a part or stays. */
  insert(part: number, text: string): void {
    const to = this.#parts[part];
    if (!to) return this.#stay(text.length);
    this.#pass(to, text.length, text.length);
    to.edit.push(text);
    to.length += text.length;
    const last = this.#cuts.at(-1);
    if (last?.to === this.#left) last.to += text.length;
    else this.#cuts.push({ from: this.#left, to: this.#left + text.length });
    this.#left += text.length;
  }

  /** Advances over deleted units. */
  drop({ part, kind }: Run, length: number): void {
    if (length > 0 && kind === "taken") this.#parts[part]?.edit.push(-length);
  }

  followed(): Followed {
    return { parts: this.#parts.map(({ edit, head }) => ({ edit: without(edit), ...(head !== undefined && { head }) })), cuts: this.#cuts };
  }

  #stay(length: number): void {
    this.#read += length;
    this.#left += length;
  }

  /** Advances a part's length; the caret goes with the text before it. */
  #pass(to: { readonly length: number; head: number | undefined }, length: number, has: number): void {
    const head = this.#head;
    if (head !== undefined && head > this.#read && head <= this.#read + length) to.head = to.length + Math.min(head - this.#read, has);
    this.#read += length;
  }
}

/** Returns an edit without its trailing keep. */
function without(edit: readonly (number | string)[]): Edit {
  const last = edit.findLastIndex((step) => typeof step === "string" || step < 0);
  return edit.slice(0, last + 1);
}
