import { expect, test } from "vitest";
import { merged, mergedComposed, split, splitComposed, torn } from "./carry.js";

const part = (cell: string, source: string): { readonly cell: string; readonly source: string } => ({ cell, source });

test("the caret goes with its text when the cell is split above it", () => {
  expect(split("a\nbcd", 4, "a", [part("n", "bcd")])).toMatchObject({ cell: "n", text: "bcd", head: 2, strays: { length: 0 } });
  expect(split("a\nbcd", 2, "a", [part("n", "bcd")]), "at the start of its line").toMatchObject({ cell: "n", head: 0 });
});

test("the caret stays when the cell is split at it or below it", () => {
  expect(split("ab\ncd", 1, "ab", [part("n", "cd")])).toBeUndefined();
  expect(split("abcd", 2, "ab", [part("n", "cd")])).toBeUndefined();
  expect(split("abcd", 4, "abcd", [part("n", "")]), "with nothing below").toBeUndefined();
});

test("what was typed meanwhile goes with the text, wherever it had arrived", () => {
  expect(split("a\nb12cd", 5, "a12", [part("n", "bcd")]), "in the core").toMatchObject({ text: "b12cd", head: 3, strays: { at: 1, length: 2 } });
  expect(split("a\nb12cd", 5, "a", [part("n", "bcd")]), "in the editor alone").toMatchObject({ text: "b12cd", strays: { at: 1, length: 2 } });
  expect(split("a\nbcd12", 7, "a1", [part("n", "bcd")]), "at the end").toMatchObject({ text: "bcd12", head: 5, strays: { length: 2 } });
});

test("of several parts the caret goes to its own", () => {
  expect(split("a\nb\nxyz\nd", 6, "a", [part("m", "b"), part("n", "xyz"), part("o", "d")])).toMatchObject({ cell: "n", text: "xyz", head: 2 });
});

test("cells that come below and are no parts carry nothing", () => {
  expect(split("a\nb", 3, "a\nb", [part("n", "")])).toBeUndefined();
  expect(split("a\nb", 3, "a\nb", [part("n", "other")])).toBeUndefined();
  expect(split("ab\nb", 4, "ab\nb", [part("n", "b")]), "a copy of its last line").toBeUndefined();
});

test("the caret goes with its text into the cell above, with what was typed meanwhile", () => {
  expect(merged("two", 2, { cell: "a", had: "one", has: "one\n\ntwo", after: [] })).toMatchObject({ cell: "a", text: "one\n\ntwo", head: 7 });
  expect(merged("two12", 5, { cell: "a", had: "one", has: "one\n\ntwo\n\nthree", after: ["three"] })).toMatchObject({ text: "one\n\ntwo12\n\nthree", head: 10 });
  expect(merged("tail", 1, { cell: "a", had: "head", has: "head\ntail", after: [] }), "when a split is undone").toMatchObject({ text: "head\ntail", head: 6 });
});

test("a cell that is deleted, and not merged, carries nothing", () => {
  expect(merged("two", 2, { cell: "a", had: "one", has: "one", after: [] })).toBeUndefined();
  expect(merged("two", 2, { cell: "a", had: "one", has: "one\n\nother", after: [] })).toBeUndefined();
});

test("what is typed at the end while cells below are merged into it goes back together", () => {
  expect(torn("one12", "one\n\ntwo12", ["two"]), "in the core").toEqual({ at: 3, theirs: "\n\ntwo", typed: "12" });
  expect(torn("one123", "one1\n\ntwo2", ["two"]), "partly in the editor alone").toEqual({ at: 4, theirs: "\n\ntwo", typed: "23" });
  expect(torn("one12", "one12\n\ntwo", ["two"]), "whole already").toBeUndefined();
  expect(torn("one", "one", ["two"]), "deleted, not merged").toBeUndefined();
});

test("what an input method composes goes with the text, whatever it was when the cell was split", () => {
  const composed = { from: 4, to: 6, texts: ["", "n", "に", "にほ", "日本"] };
  for (const then of ["", "n", "に", "にほ", "日本"]) {
    expect(splitComposed("a\nb 日本c", composed, "a", [part("n", `b ${then}c`)]), then).toMatchObject({ cell: "n", was: `b ${then}c`, text: "b 日本c", head: 4 });
  }
  expect(splitComposed("a\nb 日本c", composed, "a日", [part("n", "b nc")]), "what came late is at the end of the rest").toMatchObject({ text: "b 日本c", head: 4, strays: { at: 1 } });
  expect(splitComposed("a\nb 日本c", composed, "a\nb 日本c", []), "no split").toBeUndefined();
  expect(splitComposed("a\nb 日本c", composed, "a\nb 日", [part("n", "本c")]), "a split within it").toBeUndefined();
});

test("what an input method composes goes with the text, whatever it was when the cell was merged", () => {
  const composed = { from: 2, to: 4, texts: ["", "n", "に", "にほ", "日本"] };
  for (const then of ["", "n", "に", "にほ", "日本"]) {
    const merge = { cell: "a", had: "one", has: `one\n\nb ${then}c\n\nlast`, after: ["last"] };
    expect(mergedComposed("b 日本c", composed, merge), then).toMatchObject({ cell: "a", was: merge.has, text: "one\n\nb 日本c\n\nlast", head: 9 });
  }
  expect(mergedComposed("b 日本c", composed, { cell: "a", had: "one", has: "one", after: [] }), "no merge").toBeUndefined();
});
