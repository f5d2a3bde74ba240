import type { CellID } from "../core/event.js";
import type { Composed } from "../editor/composition.js";

/** Carried is where the text around a caret went on in another cell. */
export interface Carried {
  readonly cell: CellID;
  /** The text that the cell has there, and what it is to become: with what was typed meanwhile. */
  readonly was: string;
  readonly text: string;
  readonly head: number;
  /** How much was typed meanwhile that stays in the cell from which the text was taken, from a place of it to its end. */
  readonly strays: { readonly at: number; readonly length: number };
}

/** Part is a cell that came, with its source. */
interface Part {
  readonly cell: CellID;
  readonly source: string;
}

/** The most that one types between what another has seen and what one has. */
const mostTyped = 1000;

/**
 * Returns where a caret goes when another person splits the cell that it is in: its editor had a text, the cell has the
 * rest of it, and cells with the other parts were made. Undefined when the caret stays, or when the cells are no such parts.
 * At the end of the rest may be as much as was composed when the split was on its way.
 */
export function split(had: string, head: number, rest: string, made: readonly Part[], composed = 0): Carried | undefined {
  let end = had.length;
  let typed = "";
  const parts: { readonly part: Part; readonly start: number; readonly end: number }[] = [];
  for (const part of made.toReversed()) {
    const found = alignEnd(had.slice(0, end), part.source);
    if (!found) return undefined;
    parts.unshift({ part, start: found.start, end });
    typed = found.typed + typed;
    end = withoutLineEnds(had, found.start);
  }
  if (rest.length > end + typed.length + composed || !rest.startsWith(had.slice(0, end))) return undefined;
  const at = parts.findLastIndex(({ start }) => head > withoutLineEnds(had, start));
  const into = parts[at];
  if (!into) return undefined;
  const text = had.slice(into.start, parts[at + 1] ? withoutLineEnds(had, into.end) : into.end);
  return {
    cell: into.part.cell, was: into.part.source, text, head: Math.min(Math.max(0, head - into.start), text.length), strays: { at: end, length: typed.length },
  };
}

/**
 * Returns where a caret goes when another person split the cell while an input method was at work in it: as in
 * {@link split}, but what was composed may have been any of its texts when the cell was split.
 */
export function splitComposed(had: string, composed: Composed, rest: string, made: readonly Part[]): Carried | undefined {
  return carriedComposed(had, composed, (text, head) => split(text, head, rest, made, composed.to - composed.from));
}

/** Merge is what another person made of a cell when cells below were merged into it. */
export interface Merge {
  readonly cell: CellID;
  readonly had: string;
  readonly has: string;
  /** The sources of the cells that were merged into it behind the one with the caret. */
  readonly after: readonly string[];
}

/**
 * Returns where a caret goes when another person merges the cell that it is in into one above: its editor had a text,
 * and the other cell had a text and now has more. Undefined when the text did not go there.
 */
export function merged(had: string, head: number, { cell, had: before, has, after }: Merge): Carried | undefined {
  if (!has.startsWith(before) || has.length === before.length) return undefined;
  const tail = after.filter((source) => source !== "").map((source) => `\n\n${source}`).join("");
  if (!has.endsWith(tail) || has.length < before.length + tail.length) return undefined;
  const upTo = has.slice(0, has.length - tail.length);
  const at = startIn(upTo, before.length, had);
  const moved = at === undefined ? "" : upTo.slice(at);
  if (at === undefined || moved.trim() === "") return undefined;
  return { cell, was: has, text: has.slice(0, at) + had + tail, head: at + head, strays: { at: 0, length: 0 } };
}

/** Returns the same, as {@link merged} does, for a merge that was made while an input method was at work in the cell. */
export function mergedComposed(had: string, composed: Composed, merge: Merge): Carried | undefined {
  return carriedComposed(had, composed, (text, head) => merged(text, head, merge));
}

/** Returns where a caret goes behind what was composed, by what each of the texts that this was would give. */
function carriedComposed(had: string, { from, to, texts }: Composed, carried: (had: string, head: number) => Carried | undefined): Carried | undefined {
  const [above, own, below] = [had.slice(0, from), had.slice(from, to), had.slice(to)];
  for (const text of new Set(texts.toReversed())) {
    const found = carried(above + text + below, from + text.length);
    const at = found ? found.head - text.length : -1;
    if (!found || at < 0) continue; // at < 0: the text was cut within what is composed
    return { ...found, text: found.text.slice(0, at) + own + found.text.slice(found.head), head: at + own.length };
  }
  return undefined;
}

/** Torn is what was typed at the end of a text while another person merged the cells below into it: it came behind theirs. */
export interface Torn {
  readonly at: number;
  readonly theirs: string;
  readonly typed: string;
}

/** Returns what is to go back before the sources of cells that were merged into one whose editor had a text; the cell has another now. */
export function torn(had: string, has: string, below: readonly string[]): Torn | undefined {
  const theirs = below.filter((source) => source !== "").map((source) => `\n\n${source}`).join("");
  if (theirs === "") return undefined;
  for (let at = had.length - 1; at >= Math.max(0, had.length - mostTyped); at--) {
    const rest = has.slice(at + theirs.length);
    if (has.startsWith(theirs, at) && had.startsWith(has.slice(0, at)) && had.startsWith(rest, at)) return { at, theirs, typed: had.slice(at) };
  }
  return undefined;
}

/** Returns where a text, of which the latest letters may be missing, begins in what was added to another one. */
function startIn(text: string, from: number, had: string): number | undefined {
  const places = [from];
  for (let at = text.indexOf("\n", from); at >= 0; at = text.indexOf("\n", at + 1)) places.push(at + 1);
  return places.find((at) => {
    const found = alignEnd(had, text.slice(at));
    return text.length > at && found !== undefined && withoutLineEnds(had, found.start) === 0;
  });
}

/**
 * Returns where a part begins in a text that ends with it, between whose letters others may have been typed: the latest
 * place, and what was typed.
 */
function alignEnd(text: string, part: string): { readonly start: number; readonly typed: string } | undefined {
  let typed = "";
  let at = text.length;
  for (let i = part.length; i > 0; at--) {
    if (at === 0 || typed.length > mostTyped) return undefined;
    if (text[at - 1] === part[i - 1]) i--;
    else typed = text.charAt(at - 1) + typed;
  }
  return { start: at, typed };
}

function withoutLineEnds(text: string, end: number): number {
  while (text[end - 1] === "\n") end--;
  return end;
}
