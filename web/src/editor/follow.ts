import type { ChangeSet } from "@codemirror/state";
import type { Edit } from "../core/event.js";
import type { MovedPart } from "../core/view.js";
import { partsOf, type Piece } from "./here.js";

/** Source is a text out of which pieces go to other cells, with what was typed in it that the core does not have. */
export interface Source {
  readonly text: string;
  readonly typed: ChangeSet;
  /** Where the caret is in the text with what was typed; undefined if there is none. */
  readonly head: number | undefined;
  /** What of the text was typed at this page. */
  readonly here: readonly Piece[];
}

/** Followed is what went with the text, and what stays. */
export interface Followed {
  /** What each part is to become of what was taken, and where the caret is in that. */
  readonly parts: readonly { readonly edit: Edit; readonly head?: number }[];
  /** What went, as it is in the source once the text is taken. */
  readonly cuts: readonly Piece[];
}

/** Run is a run of units of a text that all stay or go to one part. */
interface Run {
  readonly from: number;
  readonly to: number;
  /** The part that they go to, -1 if they stay. */
  readonly part: number;
  /** taken: the part has them. line ends: they go nowhere. between: they were not known to who took the text. */
  readonly kind: "stays" | "taken" | "line ends" | "between";
}

/**
 * Returns what follows a text that an edit takes away, all of it if there is no edit. What was typed behind the first unit
 * that goes goes too: with what it was typed in, and at the start of a part if it was typed in the line ends before it. So does
 * what the core has of that already and who took the text did not know, as far as it was typed here: the page of another
 * person brings what they typed.
 */
export function follow({ text, typed, head, here }: Source, taken: Edit | undefined, parts: readonly MovedPart[]): Followed {
  const runs = runsOf(text.length, taken, parts);
  const first = taken === undefined ? 0 : -1; // of a text that goes as a whole its start goes too
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

/** Takes a text apart by where its units go. */
function runsOf(length: number, taken: Edit | undefined, parts: readonly MovedPart[]): readonly Run[] {
  const runs: Run[] = [];
  const pieces = parts.flatMap(({ skip = 0, length: of }, part) => [{ part, kind: "line ends" as const, left: skip }, { part, kind: "taken" as const, left: of }]);
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

/** Returns the part that a change belongs to: what replaces a text to that of the text, else to that of what is before it. */
function ownerOf(runs: readonly Run[], from: number, to: number, first: number): number {
  const at = to > from ? from : from - 1;
  return runs.find((run) => run.from <= at && at < run.to)?.part ?? first;
}

/** Output writes what follows, from the start to the end of what the source is with what was typed. */
class Output {
  readonly #parts: { readonly edit: (number | string)[]; length: number; head: number | undefined }[];
  readonly #cuts: { from: number; to: number }[] = [];
  readonly #head: number | undefined;
  /** How much has been read, and how much of that the source has once the text is taken. */
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

  /** Goes on by text that a part gets, or that stays. */
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

  /** Leaves out units that were deleted. */
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

  /** Goes on by a text of which a part has so many units: the caret goes with what is before it. */
  #pass(to: { readonly length: number; head: number | undefined }, length: number, has: number): void {
    const head = this.#head;
    if (head !== undefined && head > this.#read && head <= this.#read + length) to.head = to.length + Math.min(head - this.#read, has);
    this.#read += length;
  }
}

/** Returns an edit without what it keeps at its end. */
function without(edit: readonly (number | string)[]): Edit {
  const last = edit.findLastIndex((step) => typeof step === "string" || step < 0);
  return edit.slice(0, last + 1);
}
