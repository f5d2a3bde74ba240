// @vitest-environment node
import { EditorSelection, EditorState, type Transaction } from "@codemirror/state";
import { expect, test } from "vitest";
import { joins, typedOf } from "./typed.js";

interface Step {
  readonly from: number;
  readonly to?: number;
  readonly insert?: string;
  readonly event: string;
}

/** Makes two changes of a text of ten units, a time apart, and reports whether they join. */
function joined(first: Step, second: Step, apart = 100): boolean {
  const one = update(EditorState.create({ doc: "0123456789" }), first);
  const two = update(one.state, second);
  const [before, now] = [typedOf(one), typedOf(two)];
  return joins(before && { ...before, time: 1000 }, now && { ...now, time: 1000 + apart });
}

function update(state: EditorState, { from, to = from, insert = "", event }: Step): Transaction {
  return state.update({ changes: { from, to, insert }, selection: { anchor: from + insert.length }, userEvent: event });
}

const a = { from: 3, insert: "a", event: "input.type" };

test.each([
  { name: "the next letter", second: { from: 4, insert: "b", event: "input.type" }, want: true },
  { name: "a letter elsewhere", second: { from: 6, insert: "b", event: "input.type" }, want: false },
  { name: "a letter after a pause", second: { from: 4, insert: "b", event: "input.type" }, apart: 500, want: false },
  { name: "a letter in place of others", second: { from: 2, to: 4, insert: "b", event: "input.type" }, want: false },
  { name: "a composition that goes on", second: { from: 3, to: 4, insert: "あ", event: "input.type.compose" }, want: true },
  { name: "a deletion", second: { from: 3, to: 4, event: "delete.backward" }, want: false },
  { name: "a paste", second: { from: 4, insert: "b", event: "input.paste" }, want: false },
])("after a letter, $name joins: $want", ({ second, apart, want }) => {
  expect(joined(a, second, apart)).toBe(want);
});

test("nothing joins the end of a line", () => {
  expect(joined({ ...a, insert: "\n" }, { from: 4, insert: "b", event: "input.type" })).toBe(false);
});

test("deletions join in their direction", () => {
  const back = { from: 4, to: 5, event: "delete.backward" };
  expect(joined(back, { from: 3, to: 4, event: "delete.backward" })).toBe(true);
  expect(joined(back, { from: 4, to: 5, event: "delete.backward" })).toBe(false);
  const forward = { from: 4, to: 5, event: "delete.forward" };
  expect(joined(forward, forward)).toBe(true);
});

test("typing at several carets joins while they stay as many", () => {
  const state = EditorState.create({
    doc: "ab",
    selection: EditorSelection.create([EditorSelection.cursor(1), EditorSelection.cursor(2)]),
    extensions: EditorState.allowMultipleSelections.of(true),
  });
  const one = state.update({ ...state.replaceSelection("x"), userEvent: "input.type" });
  const two = one.state.update({ ...one.state.replaceSelection("y"), userEvent: "input.type" });
  expect(joins(typedOf(one), typedOf(two))).toBe(true);
  expect(joins(typedOf(one), typedOf(update(two.state, { from: 6, insert: "z", event: "input.type" })))).toBe(false);
});
