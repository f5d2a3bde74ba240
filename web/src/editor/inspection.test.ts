import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { beforeAll, expect, test } from "vitest";
import { layoutless } from "../../test/layoutless.js";
import { MemoryClient } from "../../test/memory.js";
import type { Json } from "../core/event.js";
import { hideInspection, inspect, inspection } from "./inspection.js";

beforeAll(layoutless);

const where = { cell: "c1", language: "python" };

function editor(client: MemoryClient): EditorView {
  const state = EditorState.create({ doc: "area(3)", selection: { anchor: 4 }, extensions: inspection(client, () => where) });
  return new EditorView({ state, parent: document.body });
}

/** Shows a runtime's answer, and returns the displayed lines. */
async function shown(answer: Json): Promise<readonly string[]> {
  const client = new MemoryClient([{}]);
  client.answer("inspect", () => answer);
  const view = editor(client);
  await inspect(client, where, view);
  const read = [...view.dom.querySelectorAll("[role=status] p")].map((part) => part.textContent);
  view.destroy();
  return read;
}

test("signature and documentation are shown as text, without colours for terminals", async () => {
  const data = { "text/plain": "\u001b[1mThe area\u001b[0m of <b>a circle</b>.", "text/html": "<b>no</b>" };
  expect(await shown({ found: true, signature: "area(r)", data })).toEqual(["area(r)", "The area of <b>a circle</b>."]);
  expect(await shown({ found: true, data: { "text/markdown": "*md*" } })).toEqual(["*md*"]);
});

test.each([{ found: false }, { found: true, data: {} }, { found: true, data: [1] }, "what"])("nothing is shown for %j", async (answer) => {
  expect(await shown(answer)).toEqual([]);
});

test("Escape takes it away once, and so does typing", async () => {
  const client = new MemoryClient([{}]);
  client.answer("inspect", () => ({ found: true, signature: "area(r)" }));
  const view = editor(client);
  await inspect(client, where, view);
  expect(hideInspection(view)).toBe(true);
  expect(hideInspection(view)).toBe(false);
  await inspect(client, where, view);
  view.dispatch({ changes: { from: 0, insert: "x" } });
  expect(view.dom.querySelector("[role=status]")).toBeNull();
  view.destroy();
});

test("an answer that comes after the caret moved is not shown", async () => {
  const client = new MemoryClient([{}]);
  client.answer("inspect", () => ({ found: true, signature: "area(r)" }));
  const view = editor(client);
  const answered = inspect(client, where, view);
  view.dispatch({ selection: { anchor: 0 } });
  await answered;
  expect(view.dom.querySelector("[role=status]")).toBeNull();
  view.destroy();
});
