import { act, screen, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { cell, editor, prepare, selected, show, type Shown } from "../../test/showNotebook.js";
import { type ActionName, type Key, keymap, normal } from "./state/keymap.js";

vi.mock("../editor/Editor.js", () => import("../../test/fakeEditor.js"));
vi.mock("../output/Outputs.js", () => import("../../test/fakeOutputs.js"));
vi.mock("../output/markdown/Markdown.js", () => import("../../test/fakeOutputs.js"));
prepare();

/** The state after the key, in a notebook with the cells one, two and three, of which the second is active. */
const outcomes: Readonly<Record<ActionName, (shown: Shown, row: Key) => void | Promise<void>>> = {
  edit: () => expect(editor(2)).toBe(document.activeElement),
  command: () => expect(cell(2)).toBe(document.activeElement),
  insertAbove: ({ client }) => (expect(client.sources()).toEqual(["one", "", "two", "three"]), expect(cell(2)).toBe(document.activeElement)),
  insertBelow: ({ client }) => (expect(client.sources()).toEqual(["one", "two", "", "three"]), expect(cell(3)).toBe(document.activeElement)),
  delete: ({ client }) => (expect(client.sources()).toEqual(["one", "three"]), expect(cell(2)).toBe(document.activeElement)),
  undo: ({ client }) => expect(client.done).toContainEqual({ kind: "undo" }),
  redo: ({ client }) => expect(client.done).toContainEqual({ kind: "redo" }),
  cut: async ({ client, user }) => {
    expect(client.sources()).toEqual(["one", "three"]);
    await user.keyboard("v");
    expect(client.sources()).toEqual(["one", "three", "two"]);
  },
  copy: async ({ client, user }) => {
    await user.keyboard("v");
    expect(client.sources()).toEqual(["one", "two", "two", "three"]);
  },
  paste: ({ client }) => expect(client.sources()).toEqual(["one", "two", "three"]), // nothing was copied
  pasteAbove: ({ client }) => expect(client.sources()).toEqual(["one", "two", "three"]),
  toCode: ({ client }) => expect(client.last("changeKind")).toMatchObject({ cells: ["c2"], cellKind: "code" }),
  toMarkdown: ({ client }) => (expect(client.store.cell("c2")?.kind).toBe("markdown"), expect(editor(2)).toBeTruthy()),
  toRaw: ({ client }) => expect(client.store.cell("c2")?.kind).toBe("raw"),
  heading1: heading("# two"),
  heading2: heading("## two"),
  heading3: heading("### two"),
  heading4: heading("#### two"),
  heading5: heading("##### two"),
  heading6: heading("###### two"),
  previous: () => expect(cell(1)).toBe(document.activeElement),
  next: () => expect(cell(3)).toBe(document.activeElement),
  first: () => expect(cell(1)).toBe(document.activeElement),
  last: () => expect(cell(3)).toBe(document.activeElement),
  extendPrevious: () => (expect(selected()).toEqual([1, 2]), expect(cell(1)).toBe(document.activeElement)),
  extendNext: () => (expect(selected()).toEqual([2, 3]), expect(cell(3)).toBe(document.activeElement)),
  selectAll: () => expect(selected()).toEqual([1, 2, 3]),
  moveUp: ({ client }) => (expect(client.sources()).toEqual(["two", "one", "three"]), expect(cell(1)).toBe(document.activeElement)),
  moveDown: ({ client }) => (expect(client.sources()).toEqual(["one", "three", "two"]), expect(cell(3)).toBe(document.activeElement)),
  merge: ({ client }) => expect(client.last("mergeCells")).toMatchObject({ cells: ["c2", "c3"] }),
  split: ({ client }) => (expect(client.sources()).toEqual(["one", "two", "", "three"]), expect(editor(3)).toBe(document.activeElement)),
  toggleOutputs: () => expect(within(cell(2)).getByRole("button", { name: "1 output collapsed" })).toBeTruthy(),
  menu: async () => expect(await screen.findByRole("menuitem", { name: "Duplicate" })).toBeTruthy(),
  scrollOutputs: () => expect(within(cell(2)).getByRole("region", { name: "Outputs" })).toBeTruthy(),
  toggleNumbers: () => expect([numbered(1), numbered(2)]).toEqual([false, true]),
  toggleAllNumbers: () => expect([numbered(1), numbered(2)]).toEqual([true, true]),
  scrollDown: () => expect(screen.getByRole("main").scrollTop).toBeGreaterThan(500),
  scrollUp: () => expect(screen.getByRole("main").scrollTop).toBeLessThan(-500),
  runNext: ({ client }) => (expect(client.last("runCells")).toMatchObject({ cells: ["c2"] }), expect(cell(3)).toBe(document.activeElement)),
  runHere: ({ client }) => (expect(client.last("runCells")).toMatchObject({ cells: ["c2"] }), expect(cell(2)).toBe(document.activeElement)),
  runInsert: ({ client }) => (
    expect(client.last("runCells")).toMatchObject({ cells: ["c2"] }),
    expect(client.sources()).toEqual(["one", "two", "", "three"]),
    expect(editor(3)).toBe(document.activeElement)
  ),
  interrupt: ({ client }) => expect(client.done).toContainEqual({ kind: "cancelRuns" }),
  restart: ({ asked }) => expect(asked).toEqual(["POST /api/notebooks/nb/runtime/restart"]),
  find: async () => expect(await screen.findByRole("search", { name: "Find in all cells" })).toBeTruthy(),
  save: async () => expect((await screen.findAllByText(/^Saved\. All changes/)).length).toBeGreaterThan(0),
  variables: async () => expect(await screen.findByRole("complementary", { name: "Variables" })).toBeTruthy(),
  help: async () => expect(await screen.findByRole("dialog", { name: "Keyboard shortcuts" })).toBeTruthy(),
};

function heading(source: string): (shown: Shown) => void {
  return ({ client }) => {
    expect(client.store.cell("c2")?.kind).toBe("markdown");
    expect(client.sources()[1]).toBe(source);
  };
}

function numbered(place: number): boolean {
  return editor(place).dataset["numbered"] !== undefined;
}

const cases = keymap.flatMap((row) =>
  row.keys.flatMap((key) => (row.mode === "both" ? (["command", "edit"] as const) : [row.mode]).map((mode) => ({ row, key, mode }))),
);

describe("in the keymap", () => {
  test.each(cases)(
    "$mode mode: $key does: $row.label",
    async ({ row, key, mode }) => {
      Object.defineProperty(HTMLElement.prototype, "clientHeight", { configurable: true, get: () => 1000 });
      const shown = await show([{ source: "one" }, { source: "two" }, { source: "three" }]);
      act(() => void shown.client.output("c2", { kind: "stream", stream: "stdout", text: "hello" }));
      await shown.user.click(editor(2));
      if (mode === "command") await shown.user.keyboard("{Escape}");
      await shown.user.keyboard(typed(key));
      await outcomes[row.action](shown, row);
      Reflect.deleteProperty(HTMLElement.prototype, "clientHeight");
    },
    20_000,
  );
});

/** Returns a key of the keymap in the notation of user-event. */
function typed(key: string): string {
  return key
    .split(" ")
    .map((press) => typedPress(press))
    .join("");
}

function typedPress(press: string): string {
  const parts = normal(press, false).split("-");
  const last = parts.pop() ?? "";
  const held = parts.map((part) => (part === "Ctrl" ? "Control" : part));
  const shifted = parts.includes("Shift") && last.length === 1 ? last.toUpperCase() : last;
  const name = shifted === "" ? "_" : shifted === "Space" ? " " : shifted;
  const stroke = name.length === 1 && name !== " " ? name : name === " " ? "[Space]" : `{${name}}`;
  return held.map((part) => `{${part}>}`).join("") + stroke + held.map((part) => `{/${part}}`).join("");
}
