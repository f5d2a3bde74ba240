import { memo } from "react";
import { AnsiText } from "./AnsiText.js";
import { plainStyle } from "./ansi.js";
import styles from "./LogView.module.css";
import { piecesOf } from "./pieces.js";
import type { Match } from "./search.js";
import type { Found } from "./spans.js";
import type { Line, StyledLines } from "./styledLines.js";

interface Props {
  readonly styled: StyledLines;
  /** Counts the changes of the log: each renders the lines again. */
  readonly revision: number;
  readonly start: number;
  readonly end: number;
  readonly matches: readonly Match[];
  readonly current: Match | undefined;
}

/** A run of the lines of a log. New lines reuse the elements of removed ones, which is cheaper than new elements. */
export const LogLines = memo(function LogLines({ styled, start, end, matches, current }: Props) {
  const found = foundBetween(matches, start, end, current);
  return styled.lines(start, end).map((line, i) => (
    <div key={(start + i) % (end - start)} className={styles.line}>
      {contentOf(line, found.get(start + i))}
    </div>
  ));
});

/** Returns the content of a line: a plain one is a text node without elements, because most are plain. */
function contentOf(line: Line, found: readonly Found[] | undefined) {
  const { spans, left } = line;
  if (isPlain(line) && !found) return `${spans[0]?.text ?? ""}\n`;
  return (
    <>
      <AnsiText spans={spans} found={found} />
      {left > 0 && <span className={styles.left}> … {left.toLocaleString()} characters more</span>}
      {"\n"}
    </>
  );
}

/** Reports whether a line is complete, unstyled, and without links. */
function isPlain({ spans: [first, ...more], left }: Line): boolean {
  if (left > 0 || more.length > 0) return false;
  return first === undefined || (first.style === plainStyle && piecesOf(first.text).every((piece) => piece.kind === "text"));
}

/** Returns the matches in a range of lines, by line. */
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
