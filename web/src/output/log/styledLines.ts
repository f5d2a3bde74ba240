import type { Log, Mark } from "../../core/log.js";
import { parseLine, plainStyle, type Span, type Style, styleAfter } from "./ansi.js";

const every = 256; // lines between two stored styles
const longest = 10_000; // units of a line that are shown

/** Line is the visible part of a line. */
export interface Line {
  readonly spans: readonly Span[];
  /** The number of units beyond the limit. */
  readonly left: number;
}

/**
 * StyledLines returns the lines of a log in their styles. A line's style may begin in any earlier line, so the style is stored
 * at every 256th line: a request costs the lines since then, and an appended line costs itself.
 */
export class StyledLines {
  readonly #log: Log;
  readonly #kept: Style[] = [plainStyle];
  #mark: Mark;

  constructor(log: Log) {
    this.#log = log;
    this.#mark = log.mark();
  }

  /** Returns a run of lines. */
  lines(start: number, end: number): readonly Line[] {
    const lines: Line[] = [];
    let style = this.#styleAt(start);
    for (let index = start; index < end; index++) {
      const text = this.#log.line(index);
      lines.push({ spans: parseLine(text.slice(0, longest), style).spans, left: Math.max(0, text.length - longest) });
      style = styleAfter(text, style);
    }
    return lines;
  }

  #styleAt(index: number): Style {
    this.#forget();
    const wanted = Math.floor(index / every);
    for (let i = this.#kept.length; i <= wanted; i++) this.#kept.push(this.#follow((i - 1) * every, i * every));
    return this.#follow(wanted * every, index);
  }

  #follow(start: number, end: number): Style {
    let style = this.#kept[start / every] ?? plainStyle;
    for (let index = start; index < end; index++) style = styleAfter(this.#log.line(index), style);
    return style;
  }

  /** Drops the stored styles after changed lines. */
  #forget(): void {
    const same = this.#log.changedSince(this.#mark);
    this.#kept.length = Math.min(this.#kept.length, Math.floor(same / every) + 1);
    this.#mark = this.#log.mark();
  }
}
