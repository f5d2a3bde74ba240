const around = 16; // lines above and below those that are seen
const tallest = 8_000_000; // pixels that every browser can scroll

/** View is a scrolled view of lines of one height, in pixels. */
export interface View {
  readonly lines: number;
  readonly lineHeight: number;
  readonly height: number;
  /** How far it is scrolled; "end" is as far as it goes, however many lines there are. */
  readonly scrollTop: number | "end";
}

/** LineWindow is which lines are in the page, from start up to end, and where. */
export interface LineWindow {
  readonly start: number;
  readonly end: number;
  readonly top: number;
  /** Of all lines. */
  readonly height: number;
}

/** Returns the lines that a view needs. */
export function windowOf(view: View): LineWindow {
  const { lines, lineHeight, height } = view;
  const total = Math.min(lines * lineHeight, tallest);
  const scrollTop = view.scrollTop === "end" ? Math.max(0, total - height) : view.scrollTop;
  const shift = scrollTop * ratioOf(view);
  const first = Math.floor(shift / lineHeight);
  const start = Math.max(0, Math.min(first - around, lines - 1));
  const end = Math.min(lines, first + Math.ceil(height / lineHeight) + 1 + around);
  return { start, end, top: scrollTop - shift + start * lineHeight, height: total };
}

/** Returns where to scroll so that a line is in the middle. */
export function scrollTo(line: number, view: View): number {
  return Math.max(0, (line + 0.5) * view.lineHeight - view.height / 2) / ratioOf(view);
}

/** Returns how far one goes through the lines for each pixel: more than one, where a browser could not be as tall. */
function ratioOf({ lines, lineHeight, height }: View): number {
  const total = lines * lineHeight;
  return total <= tallest ? 1 : (total - height) / (tallest - height);
}
