import { AnsiText } from "./AnsiText.js";
import styles from "./LogView.module.css";
import type { Match } from "./search.js";
import type { Found } from "./spans.js";
import type { StyledLines } from "./styledLines.js";

interface Props {
  readonly styled: StyledLines;
  readonly start: number;
  readonly end: number;
  readonly matches: readonly Match[];
  readonly current: Match | undefined;
}

/** A run of the lines of a log. Those that come take the places of those that go, which costs less than to make new ones. */
export function LogLines({ styled, start, end, matches, current }: Props) {
  const found = foundBetween(matches, start, end, current);
  return styled.lines(start, end).map(({ spans, left }, i) => (
    <div key={(start + i) % (end - start)} className={styles.line}>
      <AnsiText spans={spans} found={found.get(start + i)} />
      {left > 0 && <span className={styles.left}> … {left.toLocaleString()} characters more</span>}
      {"\n"}
    </div>
  ));
}

/** Returns the matches of some lines by line. */
function foundBetween(matches: readonly Match[], start: number, end: number, current: Match | undefined): Map<number, Found[]> {
  const found = new Map<number, Found[]>();
  for (let i = firstFrom(matches, start); i < matches.length; i++) {
    const match = matches[i];
    if (!match || match.line >= end) break;
    const of = found.get(match.line) ?? [];
    of.push({ start: match.start, end: match.end, current: match === current });
    found.set(match.line, of);
  }
  return found;
}

/** Returns the index of the first match in a line or after it. */
function firstFrom(matches: readonly Match[], line: number): number {
  let low = 0;
  let high = matches.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((matches[middle]?.line ?? 0) < line) low = middle + 1;
    else high = middle;
  }
  return low;
}
