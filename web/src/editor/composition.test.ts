import { EditorState, Transaction } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Composition } from "./composition.js";
import { layoutless } from "./layoutless.js";

let composition: Composition;
let view: EditorView;

beforeEach(() => {
  layoutless();
  composition = new Composition();
  view = new EditorView({ state: EditorState.create({ doc: "ab", extensions: EditorView.updateListener.of((update) => composition.took(update)) }) });
});
afterEach(() => view.destroy());

function replace(from: number, to: number, insert: string, remote = false): void {
  view.dispatch({ changes: { from, to, insert }, ...(remote && { annotations: Transaction.remote.of(true) }) });
}

test("what follows at once at the end of what was composed is part of it", () => {
  composition.begin(2, 2, "");
  replace(2, 2, "하");
  replace(2, 3, "한");
  composition.end();
  composition.begin(3, 3, "");
  replace(3, 3, "그");
  replace(3, 4, "글");
  expect(composition.composed).toEqual({ from: 2, to: 4, texts: ["", "하", "한", "한그", "한글"] });
});

test("what is composed elsewhere is not", () => {
  composition.begin(2, 2, "");
  replace(2, 2, "한");
  composition.end();
  composition.begin(0, 0, "");
  replace(0, 0, "글");
  expect(composition.composed).toEqual({ from: 0, to: 1, texts: ["", "글"] });
});

test("it goes with the text when others change what is before it, and is forgotten when they change it", () => {
  composition.begin(2, 2, "");
  replace(2, 2, "한");
  composition.end();
  replace(0, 0, "xy", true);
  expect(composition.composed).toEqual({ from: 4, to: 5, texts: ["", "한"] });
  replace(4, 5, "", true);
  expect(composition.composed).toBeUndefined();
});

test("it does not grow without an end", () => {
  composition.begin(2, 2, "");
  replace(2, 2, "한");
  composition.end();
  for (let i = 0; i < 1000; i++) replace(3 + i, 3 + i, "x");
  expect(composition.composed).toBeUndefined();
});
