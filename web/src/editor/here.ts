import type { ChangeSet } from "@codemirror/state";

/** Piece is a piece of a text. */
export interface Piece {
  readonly from: number;
  readonly to: number;
}

/** The most remembered pieces: those unknown to others were typed last. */
const most = 256;

/** Returns the pieces of a text that were typed here, after changes made here or by others. */
export function typedHere(pieces: readonly Piece[], changes: ChangeSet, here: boolean): readonly Piece[] {
  const inserted = insertedBy(changes);
  const [start, end] = here ? ([-1, 1] as const) : ([1, -1] as const);
  const moved = pieces.map(({ from, to }) => ({ from: changes.mapPos(from, start), to: changes.mapPos(to, end) })).filter(({ from, to }) => from < to);
  if (!here) return moved.flatMap((piece) => partsOf(piece, inserted).flatMap(({ from, to, within }) => (within ? [] : [{ from, to }])));
  const fresh = inserted.filter(({ from, to }) => !moved.some((piece) => piece.from <= from && to <= piece.to));
  return [...moved, ...fresh].slice(-most);
}

/** Returns the pieces of a text that changes have inserted. */
export function insertedBy(changes: ChangeSet): readonly Piece[] {
  const pieces: Piece[] = [];
  changes.iterChanges((_fromA, _toA, from, to) => {
    if (to > from) pieces.push({ from, to });
  }, true);
  return pieces;
}

/** Splits a piece at the boundaries of others, and tells whether each part lies within one. */
export function partsOf({ from, to }: Piece, others: readonly Piece[]): readonly (Piece & { readonly within: boolean })[] {
  const parts: (Piece & { readonly within: boolean })[] = [];
  let at = from;
  for (const other of others.toSorted((a, b) => a.from - b.from)) {
    const [start, end] = [Math.max(at, other.from), Math.min(to, other.to)];
    if (start >= end) continue;
    if (start > at) parts.push({ from: at, to: start, within: false });
    parts.push({ from: start, to: end, within: true });
    at = end;
  }
  if (to > at) parts.push({ from: at, to, within: false });
  return parts;
}
