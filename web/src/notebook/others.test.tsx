import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { cell, editor, prepare, show, type Shown } from "../../test/showNotebook.js";

vi.mock("../editor/Editor.js", () => import("../../test/fakeEditor.js"));
vi.mock("../output/Outputs.js", () => import("../../test/fakeOutputs.js"));
vi.mock("../output/markdown/Markdown.js", () => import("../../test/fakeOutputs.js"));
vi.setConfig({ testTimeout: 20_000 });
prepare();

const three = [{ source: "one" }, { source: "two" }, { source: "three" }] as const;

/** Renders three cells, with the caret at the end of the second. */
async function typing(): Promise<Shown> {
  const shown = await show(three);
  await shown.user.click(editor(2));
  await shown.user.keyboard("{Control>}{End}{/Control}");
  return shown;
}

describe("a person who types in a cell", () => {
  test("keeps it when another deletes it, and is offered it back with what was typed on", async () => {
    const { client, user } = await typing();
    const field = document.activeElement;
    await act(async () => void (await client.command({ kind: "deleteCells", cells: ["c2"] })));
    await user.keyboard(" dd xx");
    expect(document.activeElement).toBe(field);
    expect(client.sources()).toEqual(["one", "three"]);
    await user.click(screen.getByRole("button", { name: "Restore" }));
    await waitFor(() => expect(client.sources()).toEqual(["one", "two dd xx", "three"]));
    expect(document.activeElement).toBe(field);
  });

  test("is told who deleted it", async () => {
    const { client, user } = await typing();
    client.peers([{ client: "k1", actor: "person:bob", presence: { name: "Bob" } }]);
    const row = client.store.cell("c2");
    if (!row) throw new Error("there is no such cell");
    act(() => client.store.apply({ cells: [{ ...row, deleter: "person:bob" }] }));
    await act(async () => void (await client.command({ kind: "deleteCells", cells: ["c2"] })));
    expect(screen.getByText("Bob deleted this cell. What you type is kept with it.")).toBeTruthy();
    await user.keyboard("{Escape}");
    expect(screen.getByText("Bob deleted the cell that you typed in. What you typed is kept with it.")).toBeTruthy();
  });

  test("is offered it back after leaving it, and is in the cell in its place", async () => {
    const { client, user } = await typing();
    await act(async () => void (await client.command({ kind: "deleteCells", cells: ["c2"] })));
    await user.keyboard(" on{Escape}");
    expect(document.activeElement).toBe(cell(2));
    fireEvent.click(screen.getByRole("button", { name: "Restore" }));
    await waitFor(() => expect(client.sources()).toEqual(["one", "two on", "three"]));
  });

  test("keeps the editor when another folds it or makes it Markdown", async () => {
    const { client } = await typing();
    const field = document.activeElement;
    await act(async () => void (await client.command({ kind: "setVisibility", cells: ["c2"], source: false })));
    await act(async () => void (await client.command({ kind: "changeKind", cells: ["c2"], cellKind: "markdown" })));
    expect(document.activeElement).toBe(field);
    expect(editor(2)).toBe(field);
  });

  test("keeps the focus when cells are moved", async () => {
    const { client } = await typing();
    const field = document.activeElement;
    await act(async () => void (await client.command({ kind: "moveCells", cells: ["c2"], after: "c3" })));
    await act(async () => void (await client.command({ kind: "moveCells", cells: ["c3"], before: "c1" })));
    expect(document.activeElement).toBe(field);
    expect(editor(3)).toBe(field);
  });

  test("cannot run what is deleted, and is told so", async () => {
    const { client, user } = await typing();
    await act(async () => void (await client.command({ kind: "deleteCells", cells: ["c2"] })));
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect(client.last("runCells")).toBeUndefined();
    expect(await screen.findByText("This cell is deleted. Restore it first.")).toBeTruthy();
  });
});

describe("a field", () => {
  test("of a title that was left as it was does not take another's back", async () => {
    const { client, user } = await show(three);
    await user.click(screen.getByTitle("Rename"));
    await act(async () => void (await client.command({ kind: "setTitle", title: "Theirs" })));
    await user.keyboard("{Enter}");
    expect(client.store.notebook()?.title).toBe("Theirs");
  });

  test("of a title that was left empty leaves the title as it was", async () => {
    const { client, user } = await show(three);
    await act(async () => void (await client.command({ kind: "setTitle", title: "There" })));
    await user.click(screen.getByTitle("Rename"));
    await user.clear(screen.getByRole("textbox", { name: "Title" }));
    await user.keyboard("  {Enter}");
    expect(client.store.notebook()?.title).toBe("There");
    expect(client.done.filter(({ kind }) => kind === "setTitle")).toHaveLength(1);
  });

  test("of a question stays while it is typed in, and what is typed is no command", async () => {
    const { client, user } = await show(three);
    const { runs = [] } = await client.command({ kind: "runCells", cells: ["c1"] });
    const run = runs[0] ?? "";
    act(() => client.start(run));
    act(() => void client.ask(run, "Who?"));
    await user.click(screen.getByRole("textbox", { name: "Who?" }));
    await user.keyboard("Ad");
    act(() => client.finish(run, "cancelled"));
    await user.keyboard("dd");
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Who?" }).value).toBe("Addd");
    expect(screen.getByText("The program no longer waits for this answer.")).toBeTruthy();
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("textbox", { name: "Who?" })).toBeNull();
    expect(screen.getByText("Your answer was not sent: the program no longer waits for it.")).toBeTruthy();
    expect(client.sources()).toEqual(["one", "two", "three"]);
  });

  test("that others take away leaves no commands to the keys, until one chooses", async () => {
    const { client, user } = await show(three);
    await user.click(cell(1));
    const lost = document.body.appendChild(document.createElement("input"));
    lost.focus();
    lost.remove();
    await user.keyboard("ddaab");
    expect(client.sources()).toEqual(["one", "two", "three"]);
    await user.keyboard("{Escape}b");
    expect(client.sources()).toEqual(["one", "", "two", "three"]);
  });
});

test("a program that is run with the last key takes the focus to ask, and not from one who went on", async () => {
  const { client, user } = await show(three);
  await user.click(editor(1));
  await user.keyboard("{Shift>}{Enter}{/Shift}");
  const first = client.store.queue()[0] ?? "";
  act(() => client.start(first));
  act(() => void client.ask(first, "Who?"));
  expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Who?" }));
  await user.click(editor(2));
  await user.keyboard("{Shift>}{Enter}{/Shift}");
  await user.click(editor(3));
  act(() => client.finish(first, "ok"));
  const second = client.store.queue()[0] ?? "";
  act(() => client.start(second));
  act(() => void client.ask(second, "Where?"));
  expect(document.activeElement).toBe(editor(3));
});
