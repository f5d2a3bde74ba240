// Two kinds of virtual lists: items of any height (cells), and lines of one height (logs).

/** Range is a run of items: those from start on, before end. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** View is the visible part of a list: pixels from the list's top, and a height. */
export interface View {
  readonly top: number;
  readonly height: number;
}

/** Height returns the measured or estimated height of the item at an index. */
export type Height = (index: number) => number;

/** Returns the height of a run of items. */
export function span(height: Height, { start, end }: Range): number {
  let sum = 0;
  for (let i = start; i < end; i++) sum += height(i);
  return sum;
}

/** Returns the items that overlap the space between two distances from the top: at least one, unless the list is empty. */
export function within(count: number, height: Height, top: number, bottom: number): Range {
  let start = 0;
  let at = 0;
  while (start < count - 1 && at + height(start) <= top) at += height(start++);
  let end = start;
  while (end < count && (end === start || at < bottom)) at += height(end++);
  return { start, end };
}

/** The most items that one call adds on either side of the visible ones. */
const most = 3;

/**
 * Returns the items to keep in the page: the visible ones, and half a screen more on either side. These are added a few
 * at a time, so the caller calls again until the range no longer changes. Items more than a screen away are dropped.
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

/** Part is a rendered piece of the list: an item, or a spacer in place of items that are not in the page. */
export type Part =
  | { readonly kind: "item"; readonly index: number }
  | { readonly kind: "spacer"; readonly key: "top" | "between" | "bottom"; readonly height: number };

/**
 * Returns the parts of a list with a range of its items in the page, and the pinned item if it lies outside of the range.
 * The keys of the spacers are chosen so that React never moves the pinned item when the range changes.
 */
export function parts(count: number, height: Height, range: Range, pinned: number): readonly Part[] {
  const start = Math.min(range.start, count);
  const end = Math.min(Math.max(range.end, start), count);
  const shown = { start, end };
  const pin = { start: pinned, end: pinned + 1 };
  const there = pinned < 0 || pinned >= count || (pinned >= start && pinned < end);
  const runs = there ? [shown] : pinned < start ? [pin, shown] : [shown, pin];
  return runs.flatMap((run, i) => [
    ...spacer(height, runs[i - 1]?.end ?? 0, run.start),
    ...items(run),
    ...(i === runs.length - 1 ? spacer(height, run.end, count, true) : []),
  ]);
}

function items({ start, end }: Range): readonly Part[] {
  return Array.from({ length: end - start }, (_, i) => ({ kind: "item", index: start + i }));
}

function spacer(height: Height, start: number, end: number, last = false): readonly Part[] {
  if (start >= end) return [];
  return [{ kind: "spacer", key: last ? "bottom" : start === 0 ? "top" : "between", height: span(height, { start, end }) }];
}

const around = 16; // lines in the page above and below the visible ones
const tallest = 8_000_000; // pixels: every browser can scroll an element this tall

/** LineView is a scrolled view of lines of one height, in pixels. */
export interface LineView {
  readonly lines: number;
  readonly lineHeight: number;
  readonly height: number;
  /** The scroll position; "end" is the end, whatever the number of lines. */
  readonly scrollTop: number | "end";
}

/** LineWindow is the run of lines in the page, from start up to end, and its position. */
export interface LineWindow extends Range {
  readonly top: number;
  /** The height of all lines. */
  readonly height: number;
}

/** Returns the lines that a view needs. */
export function lineWindow(view: LineView): LineWindow {
  const { lines, lineHeight, height } = view;
  const total = Math.min(lines * lineHeight, tallest);
  const scrollTop = view.scrollTop === "end" ? Math.max(0, total - height) : view.scrollTop;
  const shift = scrollTop * ratioOf(view);
  const first = Math.floor(shift / lineHeight);
  const start = Math.max(0, Math.min(first - around, lines - 1));
  const end = Math.min(lines, first + Math.ceil(height / lineHeight) + 1 + around);
  return { start, end, top: scrollTop - shift + start * lineHeight, height: total };
}

/** Returns the scroll position that centres a line. */
export function scrollToLine(line: number, view: LineView): number {
  return Math.max(0, (line + 0.5) * view.lineHeight - view.height / 2) / ratioOf(view);
}

/** Returns the distance through the lines for each scrolled pixel: more than one where a browser could not be as tall as the lines. */
function ratioOf({ lines, lineHeight, height }: LineView): number {
  const total = lines * lineHeight;
  return total <= tallest ? 1 : (total - height) / (tallest - height);
}
