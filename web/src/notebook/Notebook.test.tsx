import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { renders } from "../../test/fakeEditor.js";
import { cell, editor, prepare, selected, show, type Shown, TestClient } from "../../test/showNotebook.js";
import type { Runtime } from "../core/view.js";

vi.mock("../editor/Editor.js", () => import("../../test/fakeEditor.js"));
vi.mock("../output/Outputs.js", () => import("../../test/fakeOutputs.js"));
vi.mock("../output/markdown/Markdown.js", () => import("../../test/fakeOutputs.js"));
vi.setConfig({ testTimeout: 20_000 });
prepare();

const three = [{ source: "one" }, { source: "two" }, { source: "three" }] as const;

/** Returns the marks of the cell at a place, the current one with a star. */
function marks(place: number): string {
  return editor(place).dataset["marks"] ?? "";
}

/** Returns the text of the live region. */
function said(): string {
  return screen
    .getAllByRole("status")
    .map((status) => status.textContent)
    .join(" ");
}

describe("an empty notebook", () => {
  test("runs what is typed at once into its first cell, with nothing to click", async () => {
    const { client, user } = await show([]);
    expect(screen.getByPlaceholderText("Type Python here and press Shift+Enter")).toBe(document.activeElement);
    await user.keyboard("1 + 1");
    expect(client.sources()).toEqual(["1 + 1"]);
    expect(editor(1)).toBe(document.activeElement);
    await user.keyboard("{Shift>}{Enter}{/Shift}");
    expect(client.last("runCells")).toMatchObject({ cells: ["c1"] });
    expect(editor(2)).toBe(document.activeElement);
  });

  test("names no key to one who has none", async () => {
    vi.stubGlobal("matchMedia", (query: string) => ({ matches: query === "(pointer: coarse)" }));
    await show([]);
    vi.unstubAllGlobals();
    expect(screen.getByRole("textbox", { name: "First cell" }).getAttribute("placeholder")).toBe("Type Python here, then tap Run");
  });

  test("keeps what is typed while the cell is being made", async () => {
    const client = new TestClient([]);
    let go = (): void => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    const command = client.command.bind(client);
    vi.spyOn(client, "command").mockImplementation(async (order) => (await gate, command(order)));
    const { user } = await show([], client);
    await user.keyboard("print(1");
    await user.keyboard(")");
    await act(async () => go());
    await waitFor(() => expect(client.sources()).toEqual(["print(1)"]));
    expect(editor(1)).toBe(document.activeElement);
  });

  test("is only said to be empty to one who may not edit", async () => {
    const client = new TestClient([]);
    client.status({ role: "viewer" });
    await show([], client);
    expect(screen.getByText("This notebook is empty.")).toBeTruthy();
    expect(screen.queryByRole("textbox")).toBeNull();
  });
});

describe("to one who", () => {
  test.each([
    ["only reads", "viewer", "Read only"],
    ["reads and runs", "runner", "Read and run"],
  ] as const)("%s, the page says so", async (_, role, words) => {
    const client = new TestClient(three);
    await show(three, client);
    expect(screen.queryByText(words)).toBeNull();
    act(() => client.status({ role }));
    expect(screen.getByText(words)).toBeTruthy();
  });
});

describe("rendering", () => {
  test("a key typed in a cell renders no cell anew, and the focus going on renders two", async () => {
    const { user } = await show([...three, { source: "four" }]);
    await user.click(editor(1));
    renders.clear();
    await user.type(editor(1), "abc");
    expect([...renders.keys()].filter((id) => id !== "c1")).toEqual([]);
    await user.keyboard("{Escape}");
    renders.clear();
    await user.keyboard("j");
    expect([...renders.keys()].filter((id) => id !== "c1" && id !== "c2")).toEqual([]);
    expect(cell(2)).toBe(document.activeElement);
  });

  test("many cells are not all in the page, and the active one is wherever it is", async () => {
    const { user } = await show(Array.from({ length: 500 }, (_, i) => ({ source: `${i}` })));
    expect(screen.getAllByRole("listitem").filter((item) => item.dataset["cell"] !== undefined)).toHaveLength(12);
    cell(1).focus();
    await user.keyboard("{Control>}{End}{/Control}");
    expect(cell(500)).toBe(document.activeElement);
    expect(screen.getAllByRole("listitem").filter((item) => item.dataset["cell"] !== undefined)).toHaveLength(13);
  });
});

describe("keys", () => {
  test("do nothing while one types in a field", async () => {
    const { client, user } = await show(three);
    await user.click(screen.getByTitle("Rename"));
    await user.keyboard("dd xx 00{Enter}");
    expect(client.last("setTitle")).toEqual({ kind: "setTitle", title: "dd xx 00" });
    await user.click(editor(1));
    await user.keyboard("dd");
    expect(client.sources()).toEqual(["onedd", "two", "three"]);
  });

  test("change nothing for a viewer, who sees no way to run or edit", async () => {
    const client = new TestClient(three);
    client.status({ role: "viewer" });
    const { user } = await show(three, client);
    cell(1).focus();
    await user.keyboard("ddxbam");
    await user.keyboard("{Shift>}{Enter}{/Shift}");
    expect(client.done).toEqual([]);
    expect(cell(2)).toBe(document.activeElement);
    expect(screen.queryByRole("button", { name: /^(Run|Cell$|Delete|Move)/ })).toBeNull();
  });

  test("an editor may change the cells, and not the title, which is for the owner", async () => {
    const client = new TestClient(three);
    client.status({ role: "editor" });
    const { user } = await show(three, client);
    expect(screen.queryByTitle("Rename")).toBeNull();
    cell(1).focus();
    await user.keyboard("b");
    await waitFor(() => expect(client.last("addCell")).toBeTruthy());
  });

  test("after the browser lost the focus of an editor it goes back there, and nothing is deleted", async () => {
    const { client } = await show(three);
    act(() => editor(2).focus());
    act(() => editor(2).blur());
    fireEvent.keyDown(document.body, { key: "x", code: "KeyX" });
    expect(client.sources()).toEqual(["one", "two", "three"]);
    expect(editor(2)).toBe(document.activeElement);
  });

  test("undo in command mode selects what came back", async () => {
    const { client, user } = await show(three);
    cell(3).focus();
    await user.keyboard("z");
    expect(client.last("undo")).toEqual({ kind: "undo" });
    expect(selected()).toEqual([1]);
  });
});

describe("deleting by key", () => {
  test("is said to all, with what takes it back", async () => {
    const { client, user } = await show(three);
    cell(2).focus();
    await user.keyboard("dd");
    expect(client.sources()).toEqual(["one", "three"]);
    expect((await screen.findAllByText("Cell deleted.")).length).toBeGreaterThan(0);
    expect(screen.getByRole("button", { name: "Undo" })).toBeTruthy();
  });

  test("all cells leaves the keys that bring them back", async () => {
    const { client, user } = await show(three);
    cell(1).focus();
    await user.keyboard("{Control>}a{/Control}dd");
    const field = screen.getByRole("textbox", { name: "First cell" });
    expect(document.activeElement).toBe(screen.getByRole("main"));
    await user.keyboard("z");
    expect(client.done.filter((command) => command.kind === "undo").length).toBe(1);
    act(() => field.focus());
    await user.keyboard("{Control>}z{/Control}");
    expect(client.done.filter((command) => command.kind === "undo").length).toBe(2);
    act(() => field.focus());
    await user.keyboard("{Escape}");
    expect(document.activeElement).toBe(screen.getByRole("main"));
  });
});

describe("cells that a button deleted", () => {
  const back = (): HTMLElement | null => screen.queryByRole("button", { name: "Undo" });

  async function deleted(): Promise<Shown> {
    const shown = await show(three);
    act(() => cell(1).focus());
    await shown.user.keyboard("{Shift>}{ArrowDown}{/Shift}");
    await shown.user.click(within(cell(2)).getByRole("button", { name: "Delete cell" }));
    expect(shown.client.sources()).toEqual(["three"]);
    return shown;
  }

  test("can be had back with one, as far as they are still gone", async () => {
    const { client, user } = await deleted();
    await act(async () => void (await client.command({ kind: "restoreCells", cells: ["c1"] })));
    act(() => back()?.focus());
    await user.keyboard("{Enter}");
    expect(client.last("restoreCells")).toEqual({ kind: "restoreCells", cells: ["c2"] });
    expect(client.sources()).toEqual(["one", "two", "three"]);
    expect(back()).toBeNull();
  });

  test("are not offered any more when all are back", async () => {
    const { client } = await deleted();
    await act(async () => void (await client.command({ kind: "restoreCells", cells: ["c1", "c2"] })));
    expect(back()).toBeNull();
  });
});

describe("when others change the notebook", () => {
  test("and delete the cell one is in, the focus goes to the next, that is said, and the cell can be had back", async () => {
    const { client, user } = await show(three);
    act(() => cell(2).focus());
    await act(async () => void (await client.command({ kind: "deleteCells", cells: ["c2"] })));
    expect(cell(2)).toBe(document.activeElement);
    expect(within(cell(2)).getByDisplayValue("three")).toBeTruthy();
    expect(said()).toContain("You are in cell 2.");
    expect(screen.getAllByText("The cell you were in was deleted.")).not.toEqual([]);
    act(() => screen.getByRole("button", { name: "Undo" }).focus()); // jsdom lacks functions that a click on a toast needs
    await user.keyboard("{Enter}");
    expect(client.sources()).toEqual(["one", "two", "three"]);
    expect(cell(2)).toBe(document.activeElement);
  });

  test("and bring the cell back themselves, the offer to do so goes", async () => {
    const { client } = await show(three);
    act(() => cell(2).focus());
    await act(async () => void (await client.command({ kind: "deleteCells", cells: ["c2"] })));
    expect(screen.getByRole("button", { name: "Undo" })).toBeTruthy();
    await act(async () => void (await client.command({ kind: "restoreCells", cells: ["c2"] })));
    expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
  });

  test("the focus stays where one types", async () => {
    const { client } = await show(three);
    act(() => editor(2).focus());
    await act(async () => void (await client.command({ kind: "addCell", cellKind: "code", before: "c1" })));
    act(() => client.others("c3", ["x"]));
    act(() => void client.output(client.store.notebook()?.cells[0] ?? "", { kind: "stream", stream: "stdout", text: "hello" }));
    expect(editor(3)).toBe(document.activeElement);
  });

  test("one sees who else is in a cell", async () => {
    const { client } = await show(three);
    act(() =>
      client.peers([
        { client: "x", actor: "person:ada", presence: { name: "Ada", cell: "c2" } },
        { client: "me", actor: "person:me", presence: { cell: "c1" }, self: true },
      ]),
    );
    expect(within(cell(2)).getByRole("img", { name: "Ada" })).toBeTruthy();
    expect(within(cell(1)).queryByRole("img")).toBeNull();
    expect(screen.getByRole("list", { name: "2 participants here" })).toBeTruthy();
  });
});

describe("runs", () => {
  test("are shown from the queue to their end, and the end is said", async () => {
    const { client, user } = await show(three);
    await user.click(screen.getAllByRole("button", { name: "Run all" })[0] ?? document.body);
    expect(within(cell(2)).getByText("queued (2nd)")).toBeTruthy();
    expect(document.title).toMatch(/^● /);
    const [first, second, third] = client.store.queue();
    act(() => client.start(first ?? ""));
    expect(cell(1).getAttribute("aria-label")).toContain("is running");
    act(() => client.finish(first ?? "", "ok", { took: 1200 }));
    expect(cell(1).getAttribute("aria-label")).toBe("Cell 1, code, ran in 1.2 s");
    expect(said()).toContain("Cell 1 ran in 1.2 s.");
    act(() => {
      client.finish(second ?? "", "lost", { reason: "the machine went away" });
      client.finish(third ?? "", "cancelled", { cause: "earlier-failed", reason: "an earlier run of the same request did not end well" });
    });
    expect(cell(2).getAttribute("aria-label")).toContain("lost: the machine went away");
    expect(within(cell(2)).getByText("The machine went away.")).toBeTruthy();
    expect(within(cell(3)).getByText("not run")).toBeTruthy();
    expect(within(cell(3)).getByText("An earlier cell failed or was stopped.")).toBeTruthy();
    expect(document.title).not.toMatch(/^●/);
  });

  test("of a program that ended itself are no failures, and say so", async () => {
    const { client, user } = await show(three);
    await user.click(screen.getAllByRole("button", { name: "Run all" })[0] ?? document.body);
    const [first, second, third] = client.store.queue();
    act(() => {
      client.start(first ?? "");
      client.finish(first ?? "", "ok", { exited: true, cause: "exited", reason: "the program ended itself" });
      client.finish(second ?? "", "skipped", { cause: "earlier-exited", reason: "the program ended at cell 1" });
      client.finish(third ?? "", "skipped", { cause: "earlier-exited", reason: "the program ended at cell 1" });
    });
    expect(within(cell(1)).getByText("The program ended itself.")).toBeTruthy();
    expect(within(cell(3)).getByText("The program ended at cell 1.")).toBeTruthy();
    expect(screen.queryAllByRole("alert")).toHaveLength(0);
  });

  test("of an earlier runtime are not shown as if they were of this one", async () => {
    const { client, user } = await show(three);
    const runtime: Runtime = { id: "r1", epoch: 1, takes: "code", state: "ready" };
    act(() => client.store.apply({ runtimes: [runtime] }));
    await user.click(screen.getAllByRole("button", { name: "Run all" })[0] ?? document.body);
    const [first, second] = client.store.queue();
    act(() => {
      client.start(first ?? "");
      client.finish(first ?? "", "ok", { took: 1200, epoch: 1, count: 1 });
    });
    const count = (n: number): Element | null => cell(n).querySelector("[aria-hidden][class*=count]");
    expect(count(1)?.textContent).toBe("[1]");
    expect(count(1)?.hasAttribute("data-past")).toBe(false);
    act(() => client.store.apply({ runtimes: [{ ...runtime, state: "stopped", reason: "restart" }] }));
    expect(count(1)?.hasAttribute("data-past")).toBe(true);
    act(() => {
      client.store.apply({ runtimes: [{ ...runtime, id: "r2", epoch: 2 }] });
      client.start(second ?? "");
      client.finish(second ?? "", "ok", { took: 5, epoch: 2, count: 2 });
    });
    expect([count(1)?.textContent, count(2)?.textContent]).toEqual(["[1]", "[2]"]);
    expect([count(1)?.hasAttribute("data-past"), count(2)?.hasAttribute("data-past")]).toEqual([true, false]);
    expect(cell(1).getAttribute("aria-label")).toBe("Cell 1, code, ran in 1.2 s, in an earlier runtime");
    expect(cell(2).getAttribute("aria-label")).toBe("Cell 2, code, ran in 5 ms");
  });

  test("that ended with their engine say so once", async () => {
    const { client, user } = await show(three);
    await user.click(screen.getAllByRole("button", { name: "Run all" })[0] ?? document.body);
    const [first] = client.store.queue();
    const reason = "the engine died: python ended: exit status 3";
    act(() => {
      client.start(first ?? "");
      client.output(client.store.notebook()?.cells[0] ?? "", { kind: "error", error: { name: "EngineDied", message: reason } });
      client.finish(first ?? "", "lost", { reason });
    });
    expect(within(cell(1)).queryByText(`Lost: ${reason}`)).toBeNull();
    expect(within(cell(1)).getByText("runtime lost")).toBeTruthy();
  });

  test("wait until what was typed is with the core", async () => {
    const { client, user } = await show(three);
    await user.type(editor(1), "+1{Control>}{Enter}{/Control}");
    expect(client.last("runCells")).toMatchObject({ cells: ["c1"] });
    expect(client.sources()[0]).toBe("one+1");
  });

  test.each<readonly [string, number, readonly string[]]>([
    ["Run all above", 3, ["c1", "c2"]],
    ["Run this and all below", 2, ["c2", "c3"]],
  ])("of a part of the notebook leave out what does not run with all: %s", async (name, place, cells) => {
    const { client, user } = await show(three);
    await user.click(editor(place));
    await user.click(within(cell(place)).getByRole("button", { name: "More for this cell" }));
    await user.click(await screen.findByRole("menuitem", { name }));
    await waitFor(() => expect(client.last("runCells")).toEqual({ kind: "runCells", cells, range: true }));
    await user.type(editor(place), "{Control>}{Enter}{/Control}");
    await waitFor(() => expect(client.last("runCells")).toEqual({ kind: "runCells", cells: [`c${place}`] }));
  });

  test("are stopped by the button of their cell", async () => {
    const { client, user } = await show(three);
    await act(async () => void (await client.command({ kind: "runCells", cells: ["c2"] })));
    await user.click(within(cell(2)).getByRole("button", { name: "Stop" }));
    expect(client.last("cancelRuns")).toMatchObject({ cells: ["c2"] });
  });
});

describe("a program's question", () => {
  async function asked(secret: boolean) {
    const shown = await show(three);
    const { runs } = await shown.client.command({ kind: "runCells", cells: ["c1"] });
    const run = runs?.[0] ?? "";
    act(() => shown.client.start(run));
    act(() => void shown.client.ask(run, "Your name? ", secret));
    return shown;
  }

  test("is asked in its cell and answered", async () => {
    const { client, user } = await asked(false);
    expect(within(cell(1)).getByText("waiting for input")).toBeDefined();
    await user.type(within(cell(1)).getByRole("textbox", { name: "Your name?" }), "Ada{Enter}");
    expect(client.last("answerInput")).toMatchObject({ value: "Ada" });
    expect(within(cell(1)).queryByText("waiting for input")).toBeNull();
    await waitFor(() => expect(within(cell(1)).queryByLabelText("Your name?")).toBeNull());
  });

  test("that is secret is answered to the runtime alone, and not shown", async () => {
    const { client, user } = await asked(true);
    const answers: unknown[] = [];
    client.answer("answer", (params) => (answers.push(params), {}));
    const field = within(cell(1)).getByLabelText("Your name?");
    expect(field.getAttribute("type")).toBe("password");
    await user.type(field, "hunter2{Enter}");
    expect(answers).toEqual([{ input: expect.any(String), value: "hunter2" }]);
    expect(client.last("answerInput")).toBeUndefined();
  });

  test("does not take the focus from where one types", async () => {
    const { client } = await show(three);
    act(() => editor(2).focus());
    const { runs } = await client.command({ kind: "runCells", cells: ["c1"] });
    act(() => void client.ask(runs?.[0] ?? "", "Name?"));
    expect(editor(2)).toBe(document.activeElement);
  });
});

describe("trouble", () => {
  test("a refused edit is named, and what was typed can be had back", async () => {
    const { client, user } = await show(three);
    act(() => client.store.apply({ refused: [{ id: "me.1", type: "SourceEdited", code: "forbidden", message: "a viewer may not edit", source: "precious" }] }));
    const notice =
      screen
        .getAllByRole("status")
        .find((status) => status.textContent.includes("1 change of yours was refused: your role in this notebook does not allow it")) ?? document.body;
    await user.click(screen.getByRole("button", { name: "Copy the text" }));
    expect(await navigator.clipboard.readText()).toBe("precious");
    await user.click(within(notice).getByRole("button", { name: "Dismiss" }));
    expect(screen.queryByText(/refused/)).toBeNull();
  });

  test("a refused edit that nobody has read about is named again after a reload", async () => {
    const { client } = await show(three);
    act(() => client.store.apply({ refused: [{ id: "me.1", type: "SourceEdited", code: "forbidden", message: "a viewer may not edit", source: "precious" }] }));
    cleanup();
    const { user } = await show(three);
    expect(screen.getByText(/1 change of yours was refused/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Dismiss" }));
    cleanup();
    await show(three);
    expect(screen.queryByText(/refused/)).toBeNull();
  });

  test.each([
    ["not-found", "There is no such notebook"],
    ["forbidden", "This notebook is not shared with you"],
    ["version", "This page is older than the server"],
  ] as const)("a notebook that is %s says so, with a way on", async (code, title) => {
    const client = new TestClient([]);
    vi.spyOn(client.store, "notebook").mockReturnValue(undefined);
    client.status({ online: false, closed: { code, message: "no" } });
    await show([], client);
    expect(screen.getByRole("heading", { name: title })).toBeTruthy();
    expect(screen.getAllByRole("link", { name: "All notebooks" }).length).toBeGreaterThan(0);
  });

  test("a runtime that the server does not reach is not said to be ready", async () => {
    const { client } = await show(three);
    const row: Runtime = { id: "r1", name: "Python", epoch: 1, takes: "code", state: "ready" };
    act(() => client.store.apply({ runtimes: [row] }));
    expect(screen.getByRole("button", { name: /^Runtime: ?Ready$/ })).toBeTruthy();
    act(() => client.store.apply({ runtimes: [{ ...row, away: true }] }));
    expect(screen.getByRole("button", { name: /^Runtime: ?Unreachable$/ })).toBeTruthy();
    act(() => client.store.apply({ runtimes: [row] }));
    expect(screen.getByRole("button", { name: /^Runtime: ?Ready$/ })).toBeTruthy();
    act(() => client.store.apply({ runtimes: [{ ...row, state: "stopped", reason: "lease" }] }));
    expect(screen.getByRole("button", { name: /^Runtime: ?Runtime lost$/ })).toBeTruthy();
  });

  test("while the server does not answer nobody knows how the runtime is", async () => {
    const { client } = await show(three);
    act(() => client.store.apply({ runtimes: [{ id: "r1", name: "Python", epoch: 1, takes: "code", state: "ready" }] }));
    expect(screen.getByRole("button", { name: /^Runtime: ?Ready$/ })).toBeTruthy();
    act(() => client.status({ online: false, trouble: "no answer" }));
    expect(screen.getByRole("button", { name: /^Runtime: ?Unreachable$/ })).toBeTruthy();
    act(() => client.status({ online: true }));
    expect(screen.getByRole("button", { name: /^Runtime: ?Ready$/ })).toBeTruthy();
  });

  test("a command that fails says why", async () => {
    const { client, user } = await show(three);
    vi.spyOn(client, "command").mockRejectedValue(new Error("there is no cell c9"));
    cell(1).focus();
    await user.keyboard("b");
    expect((await screen.findAllByText("There is no cell c9.")).length).toBeGreaterThan(0);
  });
});

describe("the title", () => {
  test("is changed in its place, and the address follows", async () => {
    history.replaceState(null, "", "/nb/nb/old");
    const { client, user } = await show(three);
    await user.click(screen.getByTitle("Rename"));
    await user.keyboard("{Escape}");
    expect(client.last("setTitle")).toBeUndefined();
    await user.click(screen.getByTitle("Rename"));
    await user.keyboard("Plans for May{Enter}");
    expect(screen.queryByRole("textbox", { name: "Title" })).toBeNull();
    expect(screen.getByRole("heading", { name: "Plans for May" })).toBeTruthy();
    expect(location.pathname).toBe("/nb/nb/plans-for-may");
    history.replaceState(null, "", "/");
  });
});

describe("folding", () => {
  test("the source leaves its first line, which opens it", async () => {
    const { user } = await show([{ source: "\n\nimport this\nprint(1)" }, { source: "two" }]);
    cell(1).focus();
    await user.click(within(cell(1)).getByRole("button", { name: "More for this cell" }));
    await user.click(screen.getByRole("menuitem", { name: "Hide code" }));
    await user.click(within(cell(1)).getByRole("button", { name: "Show code: import this" }));
    expect(editor(1)).toBeTruthy();
  });
});

describe("markdown", () => {
  test("is shown, edited with Enter and shown again when it is run", async () => {
    const { client, user } = await show([{ kind: "markdown", source: "# Hello" }, { source: "two" }]);
    expect(within(cell(1)).getByText("shown: # Hello")).toBeTruthy();
    cell(1).focus();
    await user.keyboard("{Enter}");
    await user.type(editor(1), " there");
    await user.keyboard("{Shift>}{Enter}{/Shift}");
    expect(within(cell(1)).getByText("shown: # Hello there")).toBeTruthy();
    expect(client.last("runCells")).toBeUndefined();
    expect(cell(2)).toBe(document.activeElement);
  });
});

describe("folds", () => {
  test("are there after a reload, for this browser alone", async () => {
    const printed = { kind: "stream", stream: "stdout", text: "x" } as const;
    const { client, user } = await show(three);
    act(() => void client.output("c1", printed));
    cell(1).focus();
    await user.keyboard("o");
    expect(screen.getByText("1 output collapsed")).toBeTruthy();
    expect(client.last("setVisibility")).toBeUndefined();
    cleanup();
    const { client: again } = await show(three);
    act(() => void again.output("c1", printed));
    expect(screen.getByText("1 output collapsed")).toBeTruthy();
  });

  test("are everyone's when one says so", async () => {
    const { client, user } = await show(three);
    await user.hover(cell(1));
    const choose = async (name: string): Promise<void> => {
      await user.click(within(cell(1)).getByRole("button", { name: "More for this cell" }));
      await user.click(await screen.findByRole("menuitem", { name }));
    };
    await user.click(within(cell(1)).getByRole("button", { name: "More for this cell" }));
    expect(await screen.findByRole("menuitem", { name: "Hide code" })).toBeTruthy();
    expect(screen.queryByRole("menuitem", { name: "Show it like this to everyone" })).toBeNull();
    await user.keyboard("{Escape}");
    await choose("Hide code");
    await choose("Show it like this to everyone");
    expect(client.last("setVisibility")).toEqual({ kind: "setVisibility", cells: ["c1"], source: false });
    await waitFor(() => expect(client.store.cell("c1")?.hideSource).toBe(true));
    await choose("Show code");
    expect(editor(1)).toBeTruthy();
    expect(client.store.cell("c1")?.hideSource).toBe(true);
  });
});

describe("find", () => {
  test("counts, goes on and replaces in all cells", async () => {
    const { client, user } = await show([{ source: "x = 1" }, { source: "print(x, x)" }]);
    cell(1).focus();
    await user.keyboard("{Control>}f{/Control}");
    await user.type(await screen.findByRole("textbox", { name: "Find" }), "x");
    expect(screen.getByText("1 of 3")).toBeTruthy();
    expect(marks(2)).toBe("6-7 9-10");
    await user.keyboard("{Enter}{Enter}");
    expect(screen.getByText("2 of 3")).toBeTruthy();
    await user.type(screen.getByRole("textbox", { name: "Replace with" }), "longer");
    await user.click(screen.getByRole("button", { name: "Replace" }));
    await waitFor(() => expect(client.sources()).toEqual(["x = 1", "print(longer, x)"]));
    await waitFor(() => expect(screen.getByText("2 of 2")).toBeTruthy());
    await user.click(screen.getByRole("button", { name: "All" }));
    await waitFor(() => expect(client.sources()).toEqual(["longer = 1", "print(longer, longer)"]));
    expect(client.done.filter(({ kind }) => kind === "replaceText")).toHaveLength(1);
    await waitFor(() => expect(said()).toContain("2 places changed in 2 cells."));
    await user.type(screen.getByRole("textbox", { name: "Find" }), "{Escape}");
    expect(screen.queryByRole("search")).toBeNull();
    expect(marks(2)).toBe("");
  });

  test("says what is wrong with a regular expression", async () => {
    const { user } = await show(three);
    cell(1).focus();
    await user.keyboard("{Control>}f{/Control}");
    await user.click(await screen.findByRole("button", { name: "Regular expression" }));
    await user.type(screen.getByRole("textbox", { name: "Find" }), "(");
    expect(screen.getByText(/^This is not a regular expression/)).toBeTruthy();
  });
});
