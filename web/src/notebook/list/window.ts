/** Range is a run of cells: those from start on, before end. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** View is what can be seen of a list: pixels from its top, and how many. */
export interface View {
  readonly top: number;
  readonly height: number;
}

/** Height says how tall the cell at an index is, or may be. */
export type Height = (index: number) => number;

/** Returns how tall a run of cells is. */
export function span(height: Height, { start, end }: Range): number {
  let sum = 0;
  for (let i = start; i < end; i++) sum += height(i);
  return sum;
}

/** Returns the cells of which something lies between two distances from the top, one at least if there is any. */
export function within(count: number, height: Height, top: number, bottom: number): Range {
  let start = 0;
  let at = 0;
  while (start < count - 1 && at + height(start) <= top) at += height(start++);
  let end = start;
  while (end < count && (end === start || at < bottom)) at += height(end++);
  return { start, end };
}

/** How many cells at most come into the page at one time, on either side of those that are seen. */
const most = 3;

/**
 * Returns which cells to keep in the page: those that are seen, and those of half a screen more on
 * either side, which come a few at a time, so that it is to be asked again until the answer is
 * what there is already. Cells that are more than a screen away go.
 */
export function windowed(count: number, height: Height, view: View, now: Range): Range {
  const far = within(count, height, view.top - view.height, view.top + 2 * view.height);
  const near = within(count, height, view.top - view.height / 2, view.top + 1.5 * view.height);
  const seen = within(count, height, view.top, view.top + view.height);
  const kept = { start: Math.max(now.start, far.start), end: Math.min(now.end, far.end) };
  const touches = kept.start < kept.end && kept.start <= seen.end && kept.end >= seen.start;
  const base = touches ? { start: Math.min(kept.start, seen.start), end: Math.max(kept.end, seen.end) } : seen;
  const start = Math.min(base.start, Math.max(near.start, base.start - most));
  const end = Math.max(base.end, Math.min(near.end, base.end + most));
  return start === now.start && end === now.end ? now : { start, end };
}

/** Part is a piece of the list as it is put into the page: a cell, or the room of some that are not there. */
export type Part = { readonly kind: "cell"; readonly index: number } | { readonly kind: "room"; readonly key: "top" | "between" | "bottom"; readonly height: number };

/**
 * Returns the pieces of a list of which a range is in the page, and one cell more if it is
 * elsewhere. Their keys are such that this cell is never moved in the page when the others change.
 */
export function parts(count: number, height: Height, range: Range, pinned: number): readonly Part[] {
  const start = Math.min(range.start, count);
  const end = Math.min(Math.max(range.end, start), count);
  const shown = { start, end };
  const pin = { start: pinned, end: pinned + 1 };
  const there = pinned < 0 || pinned >= count || (pinned >= start && pinned < end);
  const runs = there ? [shown] : pinned < start ? [pin, shown] : [shown, pin];
  return runs.flatMap((run, i) => [...room(height, runs[i - 1]?.end ?? 0, run.start), ...cells(run), ...(i === runs.length - 1 ? room(height, run.end, count, true) : [])]);
}

function cells({ start, end }: Range): readonly Part[] {
  return Array.from({ length: end - start }, (_, i) => ({ kind: "cell", index: start + i }));
}

function room(height: Height, start: number, end: number, last = false): readonly Part[] {
  if (start >= end) return [];
  return [{ kind: "room", key: last ? "bottom" : start === 0 ? "top" : "between", height: span(height, { start, end }) }];
}
