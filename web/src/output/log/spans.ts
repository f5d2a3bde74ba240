import type { Span, Style } from "./ansi.js";
import { type Piece, piecesOf } from "./pieces.js";

/** Found is a match in a line. */
export interface Found {
  readonly start: number;
  readonly end: number;
  readonly current: boolean;
}

/** Part is the content of one element: text of one style, in one piece, within a match or not. */
export interface Part {
  readonly text: string;
  readonly style: Style;
  readonly piece: Piece;
  readonly found?: "found" | "current";
}

/** Splits a line's spans at the boundaries of pieces and matches. */
export function partsOf(spans: readonly Span[], found: readonly Found[] = []): readonly Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const { text, style } of spans) {
    for (const piece of style.href === undefined ? piecesOf(text) : [linkOf(text, style.href)]) {
      parts.push(...cut(piece, style, at, found));
      at += piece.text.length;
    }
  }
  return parts;
}

function linkOf(text: string, href: string): Piece {
  return { kind: "link", text, href };
}

function cut(piece: Piece, style: Style, from: number, found: readonly Found[]): Part[] {
  const to = from + piece.text.length;
  const parts: Part[] = [];
  let at = from;
  const add = (end: number, of?: Found) => {
    if (end > at) parts.push({ text: piece.text.slice(at - from, end - from), style, piece, ...(of && { found: of.current ? "current" : "found" }) });
    at = Math.max(at, end);
  };
  for (const one of found) {
    if (one.end <= at || one.start >= to) continue;
    add(one.start);
    add(Math.min(one.end, to), one);
  }
  add(to);
  return parts;
}
