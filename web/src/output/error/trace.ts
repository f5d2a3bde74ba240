import { withoutSequences } from "../log/ansi.js";

/** Section is a group of lines of a trace: a frame with its source lines, or anything else. */
export interface Section {
  readonly kind: "text" | "frame";
  /** A frame of a cell or of the user's own file, not of a library. */
  readonly own: boolean;
  /** The number of frames that it stands for: of repeated frames only the first is present. */
  readonly frames: number;
  readonly lines: readonly string[];
}

/** TracePart is a part of a trace that is shown, or folded. */
export interface TracePart {
  readonly folded: boolean;
  /** The number of folded frames. */
  readonly frames: number;
  /** All folded frames are of libraries. */
  readonly library: boolean;
  readonly lines: readonly string[];
}

interface Head {
  readonly own: boolean;
  /** The depth of its indentation. */
  readonly inside: number;
  /** The lines below have line numbers, as IPython writes them. */
  readonly numbered: boolean;
}

/** The most lines of own frames that are shown at once: recursion has thousands. */
const mostLines = 16;

// The formats of Python, and of IPython from version 7 on.
const cellFrame = /^([ |]*)(?:(?:Cell )?In ?\[\d+\],? line \d+|Input In \[\d+\], in |<ipython-input-\d+-)/;
const fileFrame = /^([ |]*)File "([^"]*)", line \d+/;
const shortFrame = /^([ |]*)File (\S.*?):\d+(?:,? in |\s*$)/;
const oldFrame = /^()((?:[~/]|[A-Z]:\\)\S*\.\w+) in /;
const numberedLine = /^(?:\s*-*> ?\d+|\s+\d+|\s+\(\.\.\.\))(?:\s|$)|^\s*$/;
const repeated = /^[ |]*(?:\[Previous line repeated (\d+) more times?\]|… ([\d,]+) frames? not shown …|\[\.\.\. skipping )/;

/** Splits a trace into sections. A frame includes the following lines that are indented further or numbered. */
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
 * Returns a trace with the frames of libraries folded. Own frames are shown up to a number of lines: then the last ones and the
 * first one are. If none is the user's own, the last frame is shown.
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

/** Returns the first own frame of the last exception of a chain. */
function firstOf(sections: readonly Section[], own: readonly Section[]): Section | undefined {
  const last = own.at(-1);
  if (!last) return undefined;
  const end = sections.lastIndexOf(last);
  const begin = sections.slice(0, end).findLastIndex((section) => section.kind === "text");
  return sections.slice(begin + 1, end).find((section) => section.own);
}

const libraries =
  /[\\/](?:site-packages|dist-packages|node_modules)[\\/]|[\\/]lib[\\/](?:python\d|R[\\/])|\.(?:pyx|pxi|pxd)$|^<(?:frozen |__array_function__|decorator-gen)|^[A-Z]:\\.*\\lib\\/i;

/** Reports whether a file belongs to no library: it lies beside the notebook, or has a made-up name. */
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
