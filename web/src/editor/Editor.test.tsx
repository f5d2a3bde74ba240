import { syntaxTree } from "@codemirror/language";
import { EditorView, type KeyBinding } from "@codemirror/view";
import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { createRef, Profiler } from "react";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { layoutless } from "../../test/layoutless.js";
import { MemoryClient } from "../../test/memory.js";
import { ClientContext } from "../core/hooks.js";
import { Editor, type EditorHandle } from "./Editor.js";
import { inUse } from "./inUse.js";
import type { Mark } from "./marks.js";

beforeAll(layoutless);
beforeAll(() => inUse.load()); // as it is a moment after a page was opened
afterEach(cleanup);

const noKeys: readonly KeyBinding[] = [];

interface Options {
  readonly keymap?: readonly KeyBinding[];
  readonly readOnly?: boolean;
  readonly kind?: "code" | "markdown";
  readonly lineNumbers?: boolean;
  readonly label?: string;
  readonly marks?: readonly Mark[];
  readonly onFiles?: (files: readonly File[], at: number) => boolean;
}

function open(source: string, options: Options = {}) {
  const client = new MemoryClient([{ source }]);
  const handle = createRef<EditorHandle>();
  const events = { onFocus: vi.fn(), onEscape: vi.fn(), onLeave: vi.fn(), onUnsaved: vi.fn() };
  const element = (more: Options) => {
    const { keymap = noKeys, readOnly = false, kind = "code", lineNumbers = false, label = "Code of cell 1", marks, onFiles } = { ...options, ...more };
    return (
      <ClientContext value={client}>
        <Editor
          cell="c1"
          language={kind === "code" ? "python" : "markdown"}
          kind={kind}
          label={label}
          readOnly={readOnly}
          lineNumbers={lineNumbers}
          keymap={keymap}
          marks={marks}
          handle={handle}
          {...events}
          {...(onFiles && { onFiles })}
        />
      </ClientContext>
    );
  };
  const { rerender, unmount } = render(element({}));
  const box = screen.getByRole("textbox");
  const view = EditorView.findFromDOM(box);
  if (!view) throw new Error("there is no editor");
  return { client, handle, events, box, view, unmount, again: (more: Options) => rerender(element(more)) };
}

function type(view: EditorView, text: string): void {
  for (const insert of text) view.dispatch({ ...view.state.replaceSelection(insert), userEvent: "input.type" });
}

test("what is typed is the core's after a flush", async () => {
  const { client, handle, view } = open("a");
  act(() => handle.current?.focus("end"));
  type(view, "bc");
  await handle.current?.flush();
  expect(client.text("c1").source).toBe("abc");
  expect(handle.current?.source()).toBe("abc");
  expect(handle.current?.selections()).toEqual([{ anchor: 3, head: 3 }]);
});

test("more than a message can hold is not taken in, which is said, and what is typed next is saved", async () => {
  const { client, handle, view } = open("a");
  const large = "\u0001".repeat(3_000_000); // six bytes each in a message
  act(() => view.dispatch({ changes: { from: 1, insert: large }, userEvent: "input.paste" }));
  expect(await screen.findByRole("alert")).toHaveProperty("textContent", "This is too large: no more than 16 MB can be put into a cell at once.");
  expect(view.state.doc.length).toBe(1);
  act(() => view.dispatch({ changes: { from: 1, insert: "x".repeat(4_000_000) }, userEvent: "input.paste" }));
  type(view, "!");
  await act(async () => handle.current?.flush());
  expect(client.text("c1").source).toHaveLength(4_000_002);
  expect(screen.queryByRole("alert")).toBeNull();
});

test("what the core does not take is said to be unsaved, also to the page, until it is taken", async () => {
  const { client, events, view } = open("a");
  const refuses = vi.spyOn(client, "push").mockRejectedValue(new Error("it may not"));
  act(() => type(view, "b"));
  expect(await screen.findByRole("alert")).toHaveProperty("textContent", "What you type here is not saved: it may not");
  expect(events.onUnsaved).toHaveBeenLastCalledWith(true);
  const leaving = new Event("beforeunload", { cancelable: true });
  window.dispatchEvent(leaving);
  expect(leaving.defaultPrevented).toBe(true);
  refuses.mockRestore();
  act(() => type(view, "c"));
  await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  expect(events.onUnsaved).toHaveBeenLastCalledWith(false);
  const after = new Event("beforeunload", { cancelable: true });
  window.dispatchEvent(after);
  expect(after.defaultPrevented).toBe(false);
});

test("what others type is shown, and the caret stays where it was in the text", () => {
  const { client, handle, view } = open("a\r\nb");
  handle.current?.focus({ line: 2 });
  client.others("c1", ["new\n"]);
  expect(view.state.doc.toString()).toBe("new\na\r\nb");
  expect(handle.current?.selections()).toEqual([{ anchor: 7, head: 7 }]);
});

test("what was typed is delivered after the editor is gone", async () => {
  const { client, view, unmount } = open("");
  type(view, "bye");
  unmount();
  await expect.poll(() => client.text("c1").source).toBe("bye");
});

test("the text has its label, and takes a new one without a new editor", () => {
  const { box, again } = open("x");
  expect(box.getAttribute("aria-label")).toBe("Code of cell 1");
  again({ label: "Code of cell 2" });
  expect(screen.getByRole("textbox", { name: "Code of cell 2" })).toBe(box);
});

test("prose is spelled and wrapped, code is not", () => {
  const code = open("x").box;
  expect(code.classList).not.toContain("cm-lineWrapping");
  expect([code.getAttribute("spellcheck"), code.getAttribute("autocapitalize"), code.getAttribute("autocorrect")]).toEqual(["false", "off", "off"]);
  cleanup();
  const prose = open("x", { kind: "markdown" });
  expect(prose.box.getAttribute("spellcheck")).toBe("true");
  expect(prose.box.classList).toContain("cm-lineWrapping");
});

test("an editor becomes another kind in place and keeps its text and caret", async () => {
  const { handle, box, view, again } = open("# title\nmore");
  handle.current?.focus({ line: 2 });
  again({ kind: "markdown", lineNumbers: true });
  expect(screen.getByRole("textbox")).toBe(box);
  expect(box.classList).toContain("cm-lineWrapping");
  expect([handle.current?.source(), handle.current?.selections()]).toEqual(["# title\nmore", [{ anchor: 8, head: 8 }]]);
  expect(view.dom.querySelector(".cm-lineNumbers")?.textContent).toContain("1");
});

test("the page's keys come before the editor's own", () => {
  const run = vi.fn(() => true);
  const { box, view } = open("", {
    keymap: [
      { key: "Ctrl-Enter", run },
      { key: "Tab", run },
    ],
  });
  fireEvent.keyDown(box, { key: "Enter", code: "Enter", keyCode: 13, ctrlKey: true });
  fireEvent.keyDown(box, { key: "Tab", code: "Tab", keyCode: 9 });
  expect(run).toHaveBeenCalledTimes(2);
  expect(view.state.doc.toString()).toBe("");
});

test("Escape and the arrows beyond the first and last line leave", () => {
  const { box, handle, events } = open("a\nb");
  handle.current?.focus("start");
  fireEvent.keyDown(box, { key: "ArrowUp", keyCode: 38 });
  handle.current?.focus("end");
  fireEvent.keyDown(box, { key: "ArrowDown", keyCode: 40 });
  fireEvent.keyDown(box, { key: "Escape", keyCode: 27 });
  expect(events.onLeave.mock.calls).toEqual([[-1], [1]]);
  expect(events.onEscape).toHaveBeenCalledOnce();
  expect(events.onFocus).toHaveBeenCalled();
});

test("Escape right after a key leaves, whatever the runtime was asked", () => {
  const { client, box, handle, events, view } = open("x");
  client.answer("complete", () => new Promise(() => {}));
  handle.current?.focus("end");
  type(view, ".");
  fireEvent.keyDown(box, { key: "Escape", keyCode: 27 });
  expect(events.onEscape).toHaveBeenCalledOnce();
});

test("the extensions of an editor in use may be loaded after its first keys", async () => {
  const loaded = await inUse.load();
  let come = (): void => {};
  vi.spyOn(inUse, "get").mockReturnValue(undefined);
  vi.spyOn(inUse, "load").mockReturnValue(new Promise((resolve) => (come = () => resolve(loaded))));
  const { client, handle, view } = open("");
  handle.current?.focus("end");
  handle.current?.press(new KeyboardEvent("keydown", { key: "x" }));
  handle.current?.press(new KeyboardEvent("keydown", { key: "(" }));
  expect(view.state.doc.toString()).toBe("x(");
  vi.restoreAllMocks();
  await act(async () => come());
  handle.current?.press(new KeyboardEvent("keydown", { key: "[" }));
  await handle.current?.flush();
  expect(client.text("c1").source).toBe("x([]");
});

test("Tab asks for completions of a name as soon as they are loaded", async () => {
  const loaded = await inUse.load();
  vi.spyOn(inUse, "get").mockReturnValue(undefined);
  const { client, box, handle } = open("ap");
  const asked = vi.fn(() => ({}));
  client.answer("complete", asked);
  handle.current?.focus("end");
  fireEvent.keyDown(box, { key: "Tab", keyCode: 9 });
  vi.restoreAllMocks();
  expect(loaded).toBe(inUse.get());
  await waitFor(() => expect(asked).toHaveBeenCalledOnce());
  expect(client.text("c1").source).toBe("ap");
});

test("Tab indents lines, Shift-Tab takes that back, by the unit of the language", async () => {
  const { client, box, handle } = open("a\nb");
  handle.current?.focus("start");
  fireEvent.keyDown(box, { key: "Tab", keyCode: 9 });
  expect(client.text("c1").source).toBe("    a\nb");
  fireEvent.keyDown(box, { key: "Tab", keyCode: 9, shiftKey: true });
  await handle.current?.flush();
  expect(client.text("c1").source).toBe("a\nb");
});

test("Tab between words goes to the next stop", async () => {
  const { client, box, handle } = open("ab = ");
  handle.current?.focus("end");
  fireEvent.keyDown(box, { key: "Tab", keyCode: 9 });
  await handle.current?.flush();
  expect(client.text("c1").source).toBe("ab =    ");
});

test("undo and redo are orders for the cell, given after what was typed is with the core", async () => {
  const { client, box, handle, view } = open("a");
  const orders: unknown[] = [];
  client.command = async (command) => {
    orders.push([command, client.text("c1").source]);
    return {};
  };
  handle.current?.focus("end");
  type(view, "b");
  fireEvent.keyDown(box, { key: "z", keyCode: 90, ctrlKey: true });
  await expect.poll(() => orders).toMatchObject([[{ kind: "undo", cell: "c1" }, "ab"]]);
  fireEvent.keyDown(box, { key: "y", keyCode: 89, ctrlKey: true });
  await expect.poll(() => orders[1]).toMatchObject([{ kind: "redo", cell: "c1" }, "ab"]);
});

test("a viewer reads and is not offered to write", () => {
  const { box, view } = open("", { readOnly: true });
  expect(box.getAttribute("aria-readonly")).toBe("true");
  expect(view.dom.querySelector(".cm-placeholder")).toBeNull();
  fireEvent.keyDown(box, { key: "Tab", keyCode: 9 });
  expect(view.state.doc.toString()).toBe("");
});

test("typing that the core refuses is said to be so, until it takes it", async () => {
  const { client, view, handle } = open("");
  const push = client.push.bind(client);
  client.push = async () => Promise.reject(new Error("the notebook was deleted"));
  type(view, "a");
  expect((await screen.findByRole("alert")).textContent).toBe("What you type here is not saved: the notebook was deleted");
  client.push = push;
  type(view, "b");
  await act(async () => handle.current?.flush());
  expect(screen.queryByRole("alert")).toBeNull();
  expect(client.text("c1").source).toBe("ab");
});

test("others are seen in the text where they are, and move with it", () => {
  const { client, view } = open("hello world");
  const ada = { client: "k1", actor: "person:ada", presence: { name: "Ada", cell: "c1", anchor: 6, head: 11 } };
  client.peers([ada, { client: "k2", actor: "person:me", self: true, presence: { cell: "c1", anchor: 1, head: 1 } }]);
  expect([...view.dom.querySelectorAll(".cm-peerCaret")].map((caret) => caret.textContent)).toEqual(["Ada"]);
  client.others("c1", ["oh, "]);
  expect(view.dom.querySelector(".cm-peerSelection")?.textContent).toBe("world");
  client.peers([{ ...ada, presence: { name: "Ada", cell: "c2", anchor: 0, head: 0 } }]);
  expect(view.dom.querySelector(".cm-peerCaret")).toBeNull();
});

test("a caret beyond the end of the text is at its end", () => {
  const { client, view } = open("hi");
  client.peers([{ client: "k1", actor: "person:ada", presence: { cell: "c1", anchor: 90, head: 99 } }]);
  expect(view.dom.querySelector(".cm-peerCaret")?.textContent).toBe("ada");
});

test("where this person is is told while the text has the focus", () => {
  const { client, handle, view } = open("abc");
  view.dispatch({ selection: { anchor: 1 } });
  expect(client.presences).toEqual([]);
  handle.current?.focus("keep");
  view.dispatch({ selection: { anchor: 1, head: 3 } });
  expect(client.presences.at(-1)).toEqual({ cell: "c1", anchor: 1, head: 3 });
});

test("a key renders nothing but the text of the editor", async () => {
  const client = new MemoryClient([{ source: "" }]);
  const renders = vi.fn();
  const [handle, quiet] = [createRef<EditorHandle>(), () => {}];
  render(
    <ClientContext value={client}>
      <Profiler id="editor" onRender={renders}>
        <Editor
          cell="c1"
          language="python"
          kind="code"
          label="Code"
          readOnly={false}
          keymap={noKeys}
          handle={handle}
          onFocus={quiet}
          onEscape={quiet}
          onLeave={quiet}
        />
      </Profiler>
    </ClientContext>,
  );
  const view = EditorView.findFromDOM(screen.getByRole("textbox"));
  renders.mockClear();
  if (view) type(view, "abc");
  await act(async () => handle.current?.flush());
  expect(client.text("c1").source).toBe("abc");
  expect(renders).not.toHaveBeenCalled();
});

/** Renders a cell whose text has not come yet, and returns a function that brings it. */
function openEarly() {
  const client = new MemoryClient();
  client.store.apply({ notebook: { title: "", language: "python", cells: ["c9"] }, cells: [{ id: "c9", kind: "code" }] });
  const handle = createRef<EditorHandle>();
  const onEscape = vi.fn();
  render(
    <ClientContext value={client}>
      <button type="button">Elsewhere</button>
      <Editor
        cell="c9"
        language="python"
        kind="code"
        label="Code"
        readOnly={false}
        keymap={noKeys}
        handle={handle}
        onFocus={vi.fn()}
        onEscape={onEscape}
        onLeave={vi.fn()}
      />
    </ClientContext>,
  );
  const come = () => act(() => client.store.apply({ cells: [{ id: "c9", kind: "code", text: { version: 1, source: "one\ntwo" } }] }));
  return { handle, come, onEscape };
}

test("one who goes to an editor before its text has come is there when it comes", () => {
  const { handle, come } = openEarly();
  handle.current?.focus({ line: 2 });
  come();
  expect(document.activeElement).toBe(screen.getByRole("textbox"));
  expect(handle.current?.selections()).toEqual([{ anchor: 4, head: 4 }]);
});

test("one who has gone on before the text came is left where they are", () => {
  const { handle, come } = openEarly();
  handle.current?.focus("start");
  screen.getByRole("button").focus();
  come();
  expect(document.activeElement).toBe(screen.getByRole("button"));
});

test("escape leaves an editor whose text has not come", () => {
  const { handle, onEscape } = openEarly();
  handle.current?.focus("start");
  fireEvent.keyDown(document.activeElement ?? document.body, { key: "Escape" });
  expect(onEscape).toHaveBeenCalledTimes(1);
});

test("what was looked for is marked, goes with the text, and is unmarked", () => {
  const { box, client, again } = open("x = x", {
    marks: [
      { from: 0, to: 1, current: true },
      { from: 4, to: 5, current: false },
      { from: 90, to: 91, current: false },
    ],
  });
  const marked = () => [...box.querySelectorAll(".cm-found")].map((piece) => `${piece.textContent}${piece.classList.contains("cm-foundCurrent") ? "*" : ""}`);
  expect(marked()).toEqual(["x*", "x"]);
  client.others("c1", [4, "y"]);
  expect(marked()).toEqual(["x*", "x"]);
  again({ marks: [] });
  expect(marked()).toEqual([]);
});

test("pictures that are pasted are given away with their place, and text that comes with one is text", () => {
  const onFiles = vi.fn(() => true);
  const { box, handle, view } = open("ab", { kind: "markdown", onFiles });
  handle.current?.focus("end");
  const file = new File(["x"], "plot.png", { type: "image/png" });
  const paste = (text: string) => fireEvent.paste(box, { clipboardData: { files: [file], getData: (type: string) => (type === "text/plain" ? text : "") } });
  paste("");
  expect(onFiles).toHaveBeenCalledWith([file], 2);
  expect(view.state.doc.toString()).toBe("ab");
  paste("text");
  expect(onFiles).toHaveBeenCalledTimes(1);
  expect(view.state.doc.toString()).toBe("abtext");
});

/** The names of the nodes at the top of the syntax tree. */
function nodesOf(view: EditorView): readonly string[] {
  const names = new Set<string>();
  syntaxTree(view.state).iterate({ enter: ({ name }) => void names.add(name) });
  return [...names];
}

test("a cell with the magic of a language has the grammar of that, also as the magic is typed and removed", async () => {
  const { view } = open("%%typescript\ninterface Horse { legs: number }");
  await waitFor(() => expect(nodesOf(view)).toContain("InterfaceDeclaration"));
  view.dispatch({ changes: { from: 0, to: 2 } });
  await waitFor(() => expect(nodesOf(view)).not.toContain("InterfaceDeclaration"));
  view.dispatch({ changes: { from: 0, insert: "%%" } });
  await waitFor(() => expect(nodesOf(view)).toContain("InterfaceDeclaration"));
});

test("a magic of Python leaves its grammar", async () => {
  const { view } = open("%%time\ndef horse(): pass");
  await waitFor(() => expect(nodesOf(view)).toContain("FunctionDefinition"));
});
