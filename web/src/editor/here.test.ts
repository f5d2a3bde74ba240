import { ChangeSet } from "@codemirror/state";
import { expect, test } from "vitest";
import { partsOf, type Piece, typedHere } from "./here.js";

const length = 20;
const change = (...specs: { from: number; to?: number; insert?: string }[]): ChangeSet => ChangeSet.of(specs, length);
const typed = (from: number, to: number): Piece => ({ from, to });

test("letters that follow one another are one piece", () => {
  const one = typedHere([], ChangeSet.of({ from: 3, insert: "a" }, length), true);
  expect(typedHere(one, ChangeSet.of({ from: 4, insert: "b" }, length + 1), true)).toEqual([typed(3, 5)]);
});

test("what others type within a piece, before and behind it is theirs", () => {
  expect(typedHere([typed(5, 9)], change({ from: 5, insert: "x" }, { from: 7, insert: "yy" }, { from: 9, insert: "z" }), false)).toEqual([
    typed(6, 8),
    typed(10, 12),
  ]);
});

test("a piece that is deleted is forgotten, and one that is shortened is not", () => {
  expect(typedHere([typed(2, 4), typed(8, 12)], change({ from: 1, to: 5 }, { from: 10, to: 14 }), false)).toEqual([typed(4, 6)]);
});

test("a text is taken apart by pieces in any order, which may meet and overlap", () => {
  const parts = partsOf(typed(0, 10), [typed(6, 8), typed(1, 3), typed(2, 4), typed(9, 15)]);
  expect(parts.filter(({ within }) => within).map(({ from, to }) => [from, to])).toEqual([
    [1, 3],
    [3, 4],
    [6, 8],
    [9, 10],
  ]);
  expect(parts.filter(({ within }) => !within).map(({ from, to }) => [from, to])).toEqual([
    [0, 1],
    [4, 6],
    [8, 9],
  ]);
});
