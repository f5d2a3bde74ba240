import { withoutSequences } from "../log/ansi.js";

/** Section is some lines of a trace: a place in a program with what is below it, or anything else. */
export interface Section {
  readonly kind: "text" | "frame";
  /** A frame of a cell or of a file of one's own, not of a library. */
  readonly own: boolean;
  /** How many frames it stands for: of those that repeat only the first are there. */
  readonly frames: number;
  readonly lines: readonly string[];
}

/** TracePart is what of a trace is shown, or folded until it is asked for. */
export interface TracePart {
  readonly folded: boolean;
  /** The number of frames that are folded. */
  readonly frames: number;
  /** All that are folded are of libraries. */
  readonly library: boolean;
  readonly lines: readonly string[];
}

interface Head {
  readonly own: boolean;
  /** How far in it is. */
  readonly inside: number;
  /** The lines below have the numbers of the lines of the program, as IPython writes them. */
  readonly numbered: boolean;
}

/** How many lines of one's own frames are shown at once: a program that calls itself has thousands. */
const mostLines = 16;

// As Python writes them, and IPython in its versions from 7 on.
const cellFrame = /^([ |]*)(?:(?:Cell )?In ?\[\d+\],? line \d+|Input In \[\d+\], in |<ipython-input-\d+-)/;
const fileFrame = /^([ |]*)File "([^"]*)", line \d+/;
const shortFrame = /^([ |]*)File (\S.*?):\d+(?:,? in |\s*$)/;
const oldFrame = /^()((?:[~/]|[A-Z]:\\)\S*\.\w+) in /;
const numberedLine = /^(?:\s*-*> ?\d+|\s+\d+|\s+\(\.\.\.\))(?:\s|$)|^\s*$/;
const repeated = /^[ |]*(?:\[Previous line repeated (\d+) more times?\]|… ([\d,]+) frames? not shown …|\[\.\.\. skipping )/;

/** Returns the sections of a trace. A frame has the lines after it that are further in, or have numbers. */
export function sectionsOf(trace: readonly string[]): readonly Section[] {
  const sections: { kind: "text" | "frame"; own: boolean; frames: number; lines: string[] }[] = [];
  let head: Head | undefined;
  for (const line of trace) {
    const shown = withoutSequences(line);
    const last = sections.at(-1);
    const next = headOf(shown);
    const more = last?.kind === "frame" ? repeated.exec(shown) : null;
    if (last && more) {
      last.frames += moreOf(more);
      last.lines.push(line);
    } else if (next) {
      head = next;
      sections.push({ kind: "frame", own: next.own, frames: 1, lines: [line] });
    } else if (last && head && (head.numbered ? numberedLine.test(shown) : indentOf(shown) > head.inside)) {
      last.lines.push(line);
    } else {
      head = undefined;
      if (last?.kind === "text") last.lines.push(line);
      else sections.push({ kind: "text", own: false, frames: 0, lines: [line] });
    }
  }
  return sections;
}

/**
 * Returns a trace with the frames of libraries folded. One's own are shown, but not more than a screen has room
 * for: then the last ones are, and the one with which it began. If none is one's own, the last one is shown.
 */
export function foldTrace(trace: readonly string[]): readonly TracePart[] {
  const sections = sectionsOf(trace);
  const open = openOf(sections);
  const parts: { folded: boolean; frames: number; library: boolean; lines: string[] }[] = [];
  for (const section of sections) {
    const folded = section.kind === "frame" && !open.has(section);
    const frames = folded ? section.frames : 0;
    const part = parts.at(-1);
    if (part?.folded === folded) {
      part.lines.push(...section.lines);
      part.frames += frames;
      part.library &&= !section.own;
    } else parts.push({ folded, frames, library: folded && !section.own, lines: [...section.lines] });
  }
  return parts;
}

function headOf(line: string): Head | undefined {
  const cell = cellFrame.exec(line);
  const file = cell ? null : (fileFrame.exec(line) ?? shortFrame.exec(line) ?? oldFrame.exec(line));
  const inside = (cell ?? file)?.[1]?.length;
  if (inside === undefined) return undefined;
  return { own: cell !== null || isOwn(file?.[2] ?? ""), inside, numbered: inside === 0 };
}

/** Returns the frames that are shown. */
function openOf(sections: readonly Section[]): ReadonlySet<Section> {
  const frames = sections.filter((section) => section.kind === "frame");
  const own = frames.filter((section) => section.own);
  const last = own.at(-1) ?? frames.at(-1);
  const open = new Set(last ? [last] : []);
  let room = mostLines - (last?.lines.length ?? 0);
  for (const section of [firstOf(sections, own), ...own.toReversed()]) {
    if (!section || open.has(section)) continue;
    room -= section.lines.length;
    if (room < 0) break;
    open.add(section);
  }
  return open;
}

/** Returns the first own frame of the last exception, of those of which one led to the other. */
function firstOf(sections: readonly Section[], own: readonly Section[]): Section | undefined {
  const last = own.at(-1);
  if (!last) return undefined;
  const end = sections.lastIndexOf(last);
  const begin = sections.slice(0, end).findLastIndex((section) => section.kind === "text");
  return sections.slice(begin + 1, end).find((section) => section.own);
}

const libraries = /[\\/](?:site-packages|dist-packages|node_modules)[\\/]|[\\/]lib[\\/](?:python\d|R[\\/])|\.(?:pyx|pxi|pxd)$|^<(?:frozen |__array_function__|decorator-gen)|^[A-Z]:\\.*\\lib\\/i;

/** Reports whether a file is none of a library: it is one beside the notebook, or what the program made up. */
function isOwn(file: string): boolean {
  return !libraries.test(file);
}

function moreOf([line, times, count]: RegExpExecArray): number {
  if (times !== undefined || count !== undefined) return Number((times ?? count ?? "").replaceAll(",", ""));
  return [...line.matchAll(/\((\d+) times\)/g)].reduce((sum, [, n]) => sum + Number(n), 0);
}

function indentOf(line: string): number {
  return /^[ |]*/.exec(line)?.[0].length ?? 0;
}
