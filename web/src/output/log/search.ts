import type { Log, Mark } from "../../core/log.js";
import { withoutSequences } from "./ansi.js";

/** Query is a search. */
export interface Query {
  readonly text: string;
  readonly caseSensitive: boolean;
  readonly regexp: boolean;
}

/** Match is a match in the visible part of a line, in UTF-16 code units. */
export interface Match {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

/** The most matches. */
export const mostMatches = 10_000;

const longest = 10_000; // units of a line: as many as are shown

/** Returns the pattern of a query, or its error in words. */
export function patternOf({ text, caseSensitive, regexp }: Query): RegExp | string {
  const flags = caseSensitive ? "gu" : "giu";
  if (!regexp) return new RegExp(text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"), flags);
  try {
    return new RegExp(text, flags);
  } catch (error) {
    return `Not a regular expression: ${reasonOf(error)}.`;
  }
}

/** Browsers say "Invalid regular expression: /(/gu: Unterminated group". */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  return (
    message
      .slice(message.lastIndexOf(": ") + 1)
      .trim()
      .toLowerCase() || "it cannot be read"
  );
}

/** Search finds a pattern in a log, some lines at a time, and continues in appended text. */
export class Search {
  readonly #log: Log;
  readonly #pattern: RegExp;
  readonly #matches: Match[] = [];
  #next = 0;
  #mark: Mark;

  constructor(log: Log, pattern: RegExp) {
    this.#log = log;
    this.#pattern = pattern;
    this.#mark = log.mark();
  }

  /** The matches so far, in order. */
  get matches(): readonly Match[] {
    return this.#matches;
  }

  /** Searches up to a number of further lines, and reports whether that was all. */
  go(lines: number): boolean {
    this.#back();
    const end = Math.min(this.#log.shown, this.#next + lines);
    while (this.#next < end && this.#matches.length < mostMatches) this.#lookAt(this.#next++);
    return this.#next >= this.#log.shown || this.#matches.length >= mostMatches;
  }

  /** Goes back to the first changed line. */
  #back(): void {
    this.#next = Math.min(this.#next, this.#log.changedSince(this.#mark));
    this.#mark = this.#log.mark();
    while ((this.#matches.at(-1)?.line ?? -1) >= this.#next) this.#matches.pop();
  }

  #lookAt(line: number): void {
    const text = withoutSequences(this.#log.line(line).slice(0, longest));
    for (const match of text.matchAll(this.#pattern)) {
      if (match[0] !== "") this.#matches.push({ line, start: match.index, end: match.index + match[0].length });
      if (this.#matches.length >= mostMatches) return;
    }
  }
}
