import { act, cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Output } from "../core/event.js";
import { ClientContext } from "../core/hooks.js";
import { MemoryClient } from "../core/memory.js";
import { Outputs } from "./Outputs.js";

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function show(...outputs: readonly Output[]): MemoryClient {
  const client = new MemoryClient([{}]);
  for (const output of outputs) client.output("c1", output);
  render(
    <ClientContext value={client}>
      <Outputs cell="c1" />
    </ClientContext>,
  );
  return client;
}

const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test("outputs are in their order, each as what it is", async () => {
  show(
    { kind: "stream", stream: "stdout", text: "printed\n" },
    { kind: "display", data: { "image/png": picture, "text/plain": "<Figure>" } },
    { kind: "result", data: { "text/plain": "42" } },
    { kind: "error", error: { name: "ValueError", message: "no" } },
    { kind: "markdown", text: "an **answer**" },
  );
  expect(screen.getByText("printed")).toBeDefined();
  expect(screen.getByRole("img", { name: "<Figure>" }).getAttribute("src")).toBe(`data:image/png;base64,${picture}`);
  expect(screen.getByRole("img").getAttribute("width")).toBe("1");
  expect(screen.getByText("42")).toBeDefined();
  expect(screen.getByText("ValueError")).toBeDefined();
  expect((await screen.findByText("answer", undefined, { timeout: 20_000 })).nodeName).toBe("STRONG");
});

test("an SVG is a picture, and never part of the page", () => {
  show({ kind: "display", data: { "image/svg+xml": '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>' } });
  expect(document.querySelector("svg[onload]")).toBeNull();
  expect(screen.getByRole("img", { name: "Picture" }).getAttribute("src")).toMatch(/^data:image\/svg\+xml,%3Csvg/);
});

test("text that is appended is shown, and the outputs are dim while they are of an earlier run", async () => {
  const client = show({ kind: "stream", stream: "stdout", text: "one" });
  act(() => client.append("o1", " more"));
  expect(screen.getByText("one more")).toBeDefined();
  const { runs: [run = ""] = [] } = await client.command({ kind: "runCells", cells: ["c1"] });
  act(() => client.start(run));
  expect(document.querySelector("[aria-busy=true]")).not.toBeNull();
  act(() => client.finish(run, "ok"));
  expect(screen.queryByText("one more")).toBeNull();
});

test("bytes that nothing can show are named, with their sizes", () => {
  show(
    { kind: "display", data: { "application/pdf": "AAECAw==" }, artifacts: { "video/mp4": { hash: "00", size: 12_000_000 } } },
    { kind: "display", data: { "text/plain": "here" }, artifacts: { "image/png": { hash: "00", size: 2000 } } },
    { kind: "display" },
  );
  expect(screen.getAllByRole("cell").map((cell) => cell.textContent)).toEqual(["application/pdf", "4 B", "Download", "video/mp4", "12.0 MB", "not here"]);
  expect(screen.getByText("image/png, 2.00 kB")).toBeDefined();
  expect(screen.getByText("This output is empty.")).toBeDefined();
});

test("an output that fails to be shown is shown as text, and the others as ever", () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  vi.spyOn(URL, "parse").mockImplementation(() => {
    throw new Error("broken");
  });
  const client = show({ kind: "stream", stream: "stdout", text: "see https://example.com" }, { kind: "result", data: { "text/plain": "42" } });
  expect(screen.getByText("This output could not be shown. As text it is:")).toBeDefined();
  expect(screen.getByText("see https://example.com")).toBeDefined();
  expect(screen.getByText("42")).toBeDefined();
  vi.restoreAllMocks();
  act(() => client.store.apply({ outputs: [{ id: "o1", cell: "c1", value: { kind: "stream", stream: "stdout", text: "well" } }] }));
  expect(screen.getByText("well")).toBeDefined();
});

test("an output is copied as text without colours", async () => {
  const user = userEvent.setup();
  show({ kind: "stream", stream: "stdout", text: "\x1b[31mred\x1b[0m\n" });
  await user.click(screen.getByRole("button", { name: "Copy output" }));
  expect(await navigator.clipboard.readText()).toBe("red\n");
  expect(screen.getByRole("button", { name: "Copied" })).toBeDefined();
});

test("an output has a view of its own, which Escape closes", async () => {
  const user = userEvent.setup();
  show({ kind: "stream", stream: "stdout", text: "a log\n" });
  await user.click(screen.getByRole("button", { name: "Open in its own view" }));
  expect((await screen.findByRole("dialog", { name: "Printed output" })).textContent).toContain("a log");
  await user.keyboard("{Escape}");
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("outputs that come take the focus from nobody", () => {
  const input = document.createElement("input");
  document.body.append(input);
  input.focus();
  const client = show({ kind: "stream", stream: "stdout", text: "one" });
  act(() => void client.output("c1", { kind: "display", data: { "text/html": "<input autofocus>" } }));
  act(() => void client.output("c1", { kind: "display", data: { "application/json": { a: 1 } } }));
  expect(document.activeElement).toBe(input);
  input.remove();
});

test("a cell stays as tall as it was while a run brings its outputs, and is free a moment later", async () => {
  vi.useFakeTimers();
  const sizes: (() => void)[] = [];
  vi.stubGlobal("ResizeObserver", class {
    constructor(f: () => void) {
      sizes.push(f);
    }
    observe() {}
    disconnect() {}
  });
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(300);
  const client = show({ kind: "result", data: { "text/plain": "old" } });
  for (const f of sizes) act(f);
  const held = () => document.querySelectorAll("[style*='min-height: 300px']").length;
  await act(() => client.command({ kind: "clearOutputs", cells: ["c1"] }));
  expect(held()).toBe(0); // who clears outputs wants the room
  act(() => void client.output("c1", { kind: "result", data: { "text/plain": "old" } }));
  const { runs: [run = ""] = [] } = await act(() => client.command({ kind: "runCells", cells: ["c1"] }));
  act(() => client.start(run));
  expect(held()).toBe(0);
  act(() => void client.output("c1", { kind: "result", data: { "text/plain": "new" } }));
  expect(held()).toBe(1);
  act(() => vi.advanceTimersByTime(1000));
  expect(held()).toBe(0);
});

describe("a run that is stopped", () => {
  const interrupt: Output = { kind: "error", error: { name: "KeyboardInterrupt", message: "" } };

  async function run(): Promise<{ readonly client: MemoryClient; readonly id: string }> {
    const client = show();
    const { runs: [id = ""] = [] } = await client.command({ kind: "runCells", cells: ["c1"] });
    act(() => client.start(id));
    return { client, id };
  }

  test("has no error of its interrupt, before it ends, afterwards, and when a newer one waits", async () => {
    const { client, id } = await run();
    await act(async () => void (await client.command({ kind: "cancelRuns", cells: ["c1"] })));
    act(() => void client.output("c1", interrupt));
    expect(screen.getByRole("group", { name: "Stopped" })).toBeDefined();
    act(() => client.finish(id, "cancelled"));
    act(() => client.store.apply({ gone: { runs: [id] } }));
    expect(screen.getByRole("button", { name: "Stopped on request" })).toBeDefined();
    expect(screen.queryByRole("group", { name: /Error/ })).toBeNull();
  });

  test("has the errors of its program", async () => {
    const { client, id } = await run();
    await act(async () => void (await client.command({ kind: "cancelRuns", cells: ["c1"] })));
    act(() => void client.output("c1", { kind: "error", error: { name: "ValueError", message: "in a finally clause" } }));
    act(() => client.finish(id, "cancelled"));
    expect(screen.getByRole("group", { name: "Error: ValueError" })).toBeDefined();
  });

  test("is none whose program interrupts itself", async () => {
    const { client, id } = await run();
    act(() => void client.output("c1", interrupt));
    act(() => client.finish(id, "error"));
    expect(screen.getByRole("group", { name: "Error: KeyboardInterrupt" })).toBeDefined();
  });
});
