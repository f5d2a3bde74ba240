import { webAddress } from "./ansi.js";

/** Piece is a part of a line: text, an address in it, or a reference to a line of a cell. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "link"; readonly text: string; readonly href: string }
  | { readonly kind: "place"; readonly text: string; readonly count: number; readonly line: number };

const found = /\bhttps?:\/\/[^\s<>"'`\\^{|}\p{Cc}]+|\b(?:Cell )?In ?\[(\d{1,9})\],? line (\d{1,9})\b/gu;

/** Splits a text into pieces, whose concatenation is the text. */
export function piecesOf(text: string): readonly Piece[] {
  if (!text.includes("http") && !text.includes("line ")) return [{ kind: "text", text }];
  const pieces: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(found)) {
    const piece = pieceOf(match);
    if (!piece) continue;
    if (match.index > at) pieces.push({ kind: "text", text: text.slice(at, match.index) });
    pieces.push(piece);
    at = match.index + piece.text.length;
  }
  if (at < text.length) pieces.push({ kind: "text", text: text.slice(at) });
  return pieces;
}

function pieceOf([text, count, line]: RegExpExecArray): Piece | undefined {
  if (count !== undefined) return { kind: "place", text, count: Number(count), line: Number(line) };
  const address = withoutTail(text);
  const href = webAddress(address);
  return href === undefined ? undefined : { kind: "link", text: address, href };
}

/** Removes punctuation at the end of an address, and closing brackets that were opened before it. */
function withoutTail(text: string): string {
  let end = text.length;
  let open = count(text, "(") - count(text, ")");
  for (; end > 0; end--) {
    const last = text[end - 1] ?? "";
    if (last === ")") {
      if (open >= 0) break;
      open++;
    } else if (!".,;:!?]*_~".includes(last)) break;
  }
  return text.slice(0, end);
}

function count(text: string, character: string): number {
  let n = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) n++;
  return n;
}
