import { act, screen } from "@testing-library/react";
import { expect, onTestFinished, test, vi } from "vitest";
import { UIState } from "./uiState.js";
import { cell, editor, prepare, selected, show, type Shown, TestClient } from "../../../test/showNotebook.js";

vi.mock("../../editor/Editor.js", () => import("../../../test/fakeEditor.js"));
vi.mock("../../output/Outputs.js", () => import("../../../test/fakeOutputs.js"));
vi.mock("../../output/markdown/Markdown.js", () => import("../../../test/fakeOutputs.js"));
vi.setConfig({ testTimeout: 20_000 });
prepare();

/** Renders the cells one to five, the second active, with a core that waits for the test. */
async function slow(mode: "command" | "edit" = "command"): Promise<Shown & { readonly go: () => Promise<void> }> {
  const client = new TestClient(["one", "two", "three", "four", "five"].map((source) => ({ source })));
  vi.spyOn(client.store, "live").mockReturnValue(false); // the core may still be loading: the keys wait all the same
  const shown = await show([], client);
  await shown.user.click(editor(2));
  if (mode === "command") await shown.user.keyboard("{Escape}");
  let go = (): void => {};
  const gate = new Promise<void>((resolve) => (go = resolve));
  const command = client.command.bind(client);
  vi.spyOn(client, "command").mockImplementation(async (order) => (await gate, command(order)));
  const settled = async (): Promise<void> => {
    go();
    for (let i = 0; i < 10; i++) await act(() => new Promise((done) => requestAnimationFrame(done)));
  };
  return { ...shown, go: settled };
}

test.each<readonly [string, string, readonly string[], number]>([
  ["D D D D deletes two cells", "dddd", ["one", "four", "five"], 2],
  ["D D J D D leaves the cell that it goes over", "ddjdd", ["one", "three", "five"], 3],
  ["X V puts the cell below the one that took its place", "xv", ["one", "three", "two", "four", "five"], 3],
  ["C V puts what was copied", "cv", ["one", "two", "two", "three", "four", "five"], 3],
  ["Alt+Up twice moves a cell by two places", "j{Alt>}{ArrowUp}{ArrowUp}{/Alt}", ["three", "one", "two", "four", "five"], 1],
  ["B D D deletes the new cell", "bdd", ["one", "two", "three", "four", "five"], 3],
])("%s, however late the core answers", async (_, keys, sources, active) => {
  const { client, user, go } = await slow();
  await user.keyboard(keys);
  await go();
  expect(client.sources()).toEqual(sources);
  expect(selected()).toEqual([active]);
  expect(document.activeElement).toBe(cell(active));
});

test("B Enter and a text type it into the new cell, and nothing is a command", async () => {
  const { client, user, go } = await slow();
  await user.keyboard("b{Enter}ddxm");
  await go();
  expect(client.sources()).toEqual(["one", "two", "ddxm", "three", "four", "five"]);
  expect(document.activeElement).toBe(editor(3));
});

test("what is typed behind Alt+Enter is in the new cell", async () => {
  const { client, user, go } = await slow("edit");
  await user.keyboard("{Alt>}{Enter}{/Alt}x = 1");
  await go();
  expect(client.sources()).toEqual(["one", "two", "x = 1", "three", "four", "five"]);
});

test("B M makes the new cell Markdown", async () => {
  const { client, user, go } = await slow();
  await user.keyboard("bm");
  await go();
  expect((client.store.notebook()?.cells ?? []).map((id) => client.store.cell(id)?.kind)).toEqual(["code", "code", "markdown", "code", "code", "code"]);
});

test("a key that is held down repeats nothing that has to wait", async () => {
  const { client, user, go } = await slow();
  await user.keyboard("j{Alt>}{ArrowUp>3/}{/Alt}");
  await go();
  expect(client.sources().slice(0, 3)).toEqual(["one", "three", "two"]);
});

test.each<readonly [string, string, readonly string[]]>([
  ["deleted", "dddd", ["one", "three", "four", "five"]],
  ["made", "b", ["one", "two", "", "three", "four", "five"]],
  ["merged", "{Shift>}m{/Shift}", ["one", "two\n\nthree", "four", "five"]],
])("who clicks into another cell while one is being %s stays there, and the keys before the click are for nothing any more", async (_, keys, sources) => {
  const { client, user, go } = await slow();
  await user.keyboard(keys);
  await user.click(editor(5));
  const field = document.activeElement;
  await go();
  expect(client.sources()).toEqual(sources);
  expect(document.activeElement).toBe(field);
});

test.each<readonly [string, readonly string[]]>([
  ["ddjdd", ["one", "three", "five"]],
  ["b{Enter}ddxm", ["one", "two", "ddxm", "three", "four", "five"]],
])("%s counts even if the core answers after a minute", async (keys, sources) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const { client, user, go } = await slow();
  await user.keyboard(keys);
  vi.advanceTimersByTime(60_000);
  await go();
  expect(client.sources()).toEqual(sources);
});

test("a core that does not start drops the keys that waited for it, says so, and lets later ones through", async () => {
  const { user } = await slow("edit");
  await user.keyboard("{Alt>}{Enter}{/Alt}x");
  act(() => void window.dispatchEvent(new CustomEvent("quire:broken", { detail: "no memory" })));
  await screen.findByText("The notebook's core did not start, so the keys for it were dropped. Reload the page.");
  await user.keyboard("y");
  expect(editor(2).textContent).toContain("y");
});

test("what is typed waits for an editor that takes long to come", async () => {
  const { client, user, go } = await slow();
  let asked = 0;
  const editorOf = UIState.prototype.editor;
  vi.spyOn(UIState.prototype, "editor").mockImplementation(function (this: UIState, id) {
    const late = document.activeElement?.closest("[data-editor]") != null && asked++ < 100;
    return late ? undefined : editorOf.call(this, id);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  await user.keyboard("b{Enter}ddxm");
  await go();
  await vi.waitFor(() => expect(client.sources()).toEqual(["one", "two", "ddxm", "three", "four", "five"]), { timeout: 10_000 });
});

test("keys for an editor are forgotten when the focus is elsewhere", async () => {
  const { client, user, go } = await slow();
  await user.keyboard("b{Enter}ddxm");
  vi.spyOn(UIState.prototype, "editor").mockReturnValue(undefined);
  onTestFinished(() => void vi.restoreAllMocks());
  const button = screen.getAllByRole("button").find((element) => element.closest("[data-list]") === null);
  button?.focus();
  await go();
  expect(client.sources()).toEqual(["one", "two", "", "three", "four", "five"]);
  vi.restoreAllMocks();
  await user.keyboard("{Escape}j");
  expect(client.sources()).toEqual(["one", "two", "", "three", "four", "five"]);
});
