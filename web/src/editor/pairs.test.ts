// @vitest-environment node
import { EditorState } from "@codemirror/state";
import { expect, test } from "vitest";
import { toEdit } from "./convert.js";
import { wholePairs } from "./pairs.js";

function state(doc: string): EditorState {
  return EditorState.create({ doc, extensions: wholePairs });
}

test.each([
  { name: "half of an emoji is replaced", doc: "a😀b", change: { from: 2, to: 3, insert: "\ude01" }, edit: [1, "😁", -2], want: "a😁b" },
  { name: "from the middle of one to the middle of the next", doc: "😀😀", change: { from: 1, to: 3, insert: "" }, edit: ["😀", -4], want: "😀" },
  { name: "whole ones are replaced", doc: "a😀b", change: { from: 1, to: 3, insert: "c" }, edit: [1, "c", -2], want: "acb" },
])("no change cuts a pair when $name", ({ doc, change, edit, want }) => {
  const tr = state(doc).update({ changes: change, userEvent: "input.type" });
  expect(toEdit(tr.changes)).toEqual(edit);
  expect(tr.newDoc.toString()).toBe(want);
  expect(tr.isUserEvent("input.type")).toBe(true);
});
