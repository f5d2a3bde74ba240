// @vitest-environment jsdom
import { EditorSelection, EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { afterEach, expect, test } from "vitest";
import { selection } from "./selection.js";

let view: EditorView | undefined;
afterEach(() => view?.destroy());

function opened(): EditorView {
  view = new EditorView({
    parent: document.body,
    state: EditorState.create({ doc: "one\ntwo", extensions: [EditorState.allowMultipleSelections.of(true), selection] }),
  });
  return view;
}

const layers = (): number => document.querySelectorAll(".cm-cursorLayer, .cm-selectionLayer").length;

test("a caret or a selection is the browser's, and several are drawn for as long as there are several", () => {
  const editor = opened();
  editor.dispatch({ selection: { anchor: 0, head: 2 } });
  expect(layers()).toBe(0);
  editor.dispatch({ selection: EditorSelection.create([EditorSelection.cursor(1), EditorSelection.cursor(5)]) });
  expect(layers()).toBe(2);
  editor.dispatch({ changes: { from: 0, insert: "x" } });
  expect(layers()).toBe(2);
  editor.dispatch({ selection: { anchor: 3 } });
  expect(layers()).toBe(0);
});

test("carets that an edit brings together are one again", () => {
  const editor = opened();
  editor.dispatch({ selection: EditorSelection.create([EditorSelection.cursor(1), EditorSelection.cursor(2)]) });
  expect(layers()).toBe(2);
  editor.dispatch({ changes: { from: 0, to: 4 } });
  expect(layers()).toBe(0);
});
