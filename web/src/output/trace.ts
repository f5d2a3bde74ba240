import { withoutSequences } from "./ansi.js";

/** Section is some lines of a trace: a place in a program with what is below it, or anything else. */
export interface Section {
  readonly kind: "text" | "frame";
  /** A frame of a cell, not of a library. */
  readonly own: boolean;
  readonly lines: readonly string[];
}

/** Part is what of a trace is shown, or folded until it is asked for. */
export interface TracePart {
  readonly folded: boolean;
  /** The number of frames. */
  readonly frames: number;
  readonly lines: readonly string[];
}

const cellFrame = /^([ |]*)(?:Cell )?In ?\[\d+\],? line \d+/;
const fileFrame = /^([ |]*)File "[^"]*", line \d+/;

/** Returns the sections of a trace. A frame has the lines after it that are further in. */
export function sectionsOf(trace: readonly string[]): readonly Section[] {
  const sections: { kind: "text" | "frame"; own: boolean; lines: string[] }[] = [];
  let inside = -1; // how far in the frame is that lines belong to
  for (const line of trace) {
    const shown = withoutSequences(line);
    const own = cellFrame.exec(shown);
    const frame = own ?? fileFrame.exec(shown);
    if (frame) {
      inside = frame[1]?.length ?? 0;
      sections.push({ kind: "frame", own: own !== null, lines: [line] });
    } else if (inside >= 0 && indentOf(shown) > inside) {
      sections.at(-1)?.lines.push(line);
    } else {
      inside = -1;
      const last = sections.at(-1);
      if (last?.kind === "text") last.lines.push(line);
      else sections.push({ kind: "text", own: false, lines: [line] });
    }
  }
  return sections;
}

/** Returns a trace with all its frames folded but the one to look at: the last of a cell, else the last. */
export function foldTrace(trace: readonly string[]): readonly TracePart[] {
  const sections = sectionsOf(trace);
  const last = sections.findLast((section) => section.own) ?? sections.findLast((section) => section.kind === "frame");
  const parts: { folded: boolean; frames: number; lines: string[] }[] = [];
  for (const section of sections) {
    const folded = section.kind === "frame" && section !== last;
    const part = parts.at(-1);
    const frames = folded ? 1 : 0;
    if (part?.folded === folded) {
      part.lines.push(...section.lines);
      part.frames += frames;
    } else parts.push({ folded, frames, lines: [...section.lines] });
  }
  return parts;
}

function indentOf(line: string): number {
  return /^[ |]*/.exec(line)?.[0].length ?? 0;
}
