import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, test, vi } from "vitest";
import { MemoryClient } from "../../test/memory.js";
import type { ErrorCause, Output } from "../core/event.js";
import { ClientContext } from "../core/hooks.js";
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
  expect((await screen.findByText("answer")).nodeName).toBe("STRONG");
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
  await user.click(screen.getByRole("button", { name: "Full screen" }));
  expect((await screen.findByRole("dialog", { name: "Output of cell 1" })).textContent).toContain("a log");
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
  vi.stubGlobal(
    "ResizeObserver",
    class {
      constructor(f: () => void) {
        sizes.push(f);
      }
      observe() {}
      disconnect() {}
    },
  );
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(300);
  const client = show({ kind: "result", data: { "text/plain": "old" } });
  for (const f of sizes) act(f);
  const held = () => document.querySelectorAll("[style*='min-height: 300px']").length;
  await act(() => client.command({ kind: "clearOutputs", cells: ["c1"] }));
  expect(held()).toBe(0); // a user who clears outputs wants the space
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

  test.each<{ readonly name: string; readonly cause?: ErrorCause; readonly hidden: boolean }>([
    { name: "Interrupt", cause: "interrupted", hidden: true },
    { name: "KeyboardInterrupt", hidden: true },
    { name: "KeyboardInterrupt", cause: "timed-out", hidden: false },
    { name: "Interrupt", hidden: false },
  ])("is recognised by the cause, and in older logs by the name: $name $cause", async ({ hidden, ...error }) => {
    const { client, id } = await run();
    await act(async () => void (await client.command({ kind: "cancelRuns", cells: ["c1"] })));
    act(() => void client.output("c1", { kind: "error", error: { ...error, message: "" } }));
    act(() => client.finish(id, "cancelled"));
    expect(screen.queryAllByRole("group", { name: /Error/ })).toHaveLength(hidden ? 0 : 1);
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

test("what came when its run had ended is marked once, and apart from what came before", () => {
  const client = new MemoryClient([{}]);
  const text = (value: string): Output => ({ kind: "stream", stream: "stdout", text: value });
  for (const value of ["in time\n", "late\n", "later\n", "old\n"]) client.output("c1", text(value));
  const ids = client.store.cell("c1")?.outputs ?? [];
  for (const [at, late] of [
    [1, {}],
    [2, {}],
    [3, { earlier: true }],
  ] as const) {
    const row = client.store.output(ids[at] ?? "");
    if (row !== undefined) client.store.apply({ outputs: [{ ...row, late: true, ...late }] });
  }
  render(
    <ClientContext value={client}>
      <Outputs cell="c1" />
    </ClientContext>,
  );
  expect(screen.getAllByText("After the run ended")).toHaveLength(1);
  expect(screen.getAllByText("From an earlier run")).toHaveLength(1);
});

test("of many outputs the first are shown, and the others when that is asked for", () => {
  show(...Array.from({ length: 203 }, () => ({ kind: "display" }) as const));
  expect(document.querySelectorAll("[data-output]").length).toBe(200);
  expect(screen.getByText("3 more outputs are not shown.")).toBeDefined();
  fireEvent.click(screen.getByText("Show 3 more"));
  expect(document.querySelectorAll("[data-output]").length).toBe(203);
});

test("a drawing of more shapes than the page can paint is shown when that is asked for, in a frame", async () => {
  const uses = (id: string): string => `<use href="#${id}"/>`.repeat(10);
  const bomb = `<svg xmlns="http://www.w3.org/2000/svg"><rect id="g0"/>${Array.from({ length: 9 }, (_, i) => `<g id="g${i + 1}">${uses(`g${i}`)}</g>`).join("")}</svg>`;
  show({ kind: "display", data: { "image/svg+xml": bomb } });
  expect(document.querySelector("img, iframe")).toBeNull();
  expect(screen.getByRole("note").textContent).toContain("more than the page can paint");
  expect(screen.getByRole("button", { name: "Download" })).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "Show anyway" }));
  expect(document.querySelector("img")).toBeNull();
  expect(document.querySelector("iframe")).not.toBeNull();
});

test("a drawing with effects is shown in a frame", () => {
  show({ kind: "display", data: { "image/svg+xml": '<svg xmlns="http://www.w3.org/2000/svg"><filter id="f"><feTurbulence numOctaves="99"/></filter></svg>' } });
  expect(document.querySelector("img")).toBeNull();
  expect(document.querySelector("iframe")).not.toBeNull();
});

test("a picture of very many pixels is shown when that is asked for", async () => {
  const header = String.fromCharCode(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30);
  show({ kind: "display", data: { "image/png": btoa(header) } });
  expect(screen.queryByRole("img")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Show anyway" }));
  expect(screen.getByRole("img")).toBeDefined();
});

describe("an output in which one looks for text", () => {
  async function searched() {
    const client = show({ kind: "stream", stream: "stdout", text: "one\ntwo\n" });
    const user = userEvent.setup();
    await user.click(screen.getByRole("button", { name: "Find in output" }));
    await user.keyboard("on");
    return { client, user, field: screen.getByRole<HTMLInputElement>("textbox", { name: "Find" }) };
  }

  test("stays with what is typed when another clears it, until one leaves it", async () => {
    const { client, user, field } = await searched();
    await act(async () => void (await client.command({ kind: "clearOutputs", cells: ["c1"] })));
    await user.keyboard("e");
    expect(document.activeElement).toBe(field);
    expect(field.value).toBe("one");
    expect(screen.getByText("This output was cleared or replaced. It stays until you leave it.")).toBeDefined();
    await user.tab();
    expect(screen.getByRole("button", { name: "Match case" })).toBe(document.activeElement);
    act(() => field.focus());
    act(() => field.blur());
    await expect.poll(() => screen.queryByRole("textbox", { name: "Find" })).toBeNull();
    expect(screen.queryByText(/was cleared or replaced/)).toBeNull();
  });

  test("stays beside those of a new run", async () => {
    const { client, user, field } = await searched();
    const { runs: [run = ""] = [] } = await client.command({ kind: "runCells", cells: ["c1"] });
    act(() => client.start(run));
    act(() => client.output("c1", { kind: "stream", stream: "stdout", text: "new" }));
    act(() => client.finish(run, "ok"));
    await user.keyboard("e");
    expect(field.value).toBe("one");
    expect(screen.getByText("new")).toBeDefined();
  });
});

const types = [
  "text/html",
  "text/plain",
  "text/markdown",
  "text/latex",
  "text/csv",
  "text/css",
  "text/xml",
  "text/javascript",
  "text/html; charset=utf-8",
  "TEXT/HTML",
  "text/x-unknown",
  "application/javascript",
  "application/json",
  "application/geo+json",
  "application/xml",
  "application/xhtml+xml",
  "application/pdf",
  "application/x-shockwave-flash",
  "application/vnd.jupyter.widget-view+json",
  "application/vnd.plotly.v1+json",
  "application/vnd.vega.v5+json",
  "application/vnd.dataresource+json",
  "application/octet-stream",
  "image/svg+xml",
  "image/svg+xml;charset=utf-8",
  "image/png",
  "image/gif",
  "image/bmp",
  "audio/wav",
  "video/mp4",
  "multipart/form-data",
  "message/rfc822",
  "",
  "x",
];

test.each(types)("nothing of type %j is an active part of the page", async (type) => {
  const value =
    '<img src=x onerror="alert(1)"><script>alert(1)</script><svg onload="alert(1)"></svg><iframe srcdoc="x"></iframe><a href="javascript:alert(1)">x</a>';
  show({ kind: "display", data: { [type]: value }, metadata: { [type]: { alt: value, width: value, height: value } } });
  await act(() => Promise.resolve());
  expect(document.querySelector("script, object, embed, form, [srcdoc], [onerror], [onload], [href^='javascript:']")).toBeNull();
  for (const frame of document.querySelectorAll("iframe"))
    expect([frame.getAttribute("src"), frame.getAttribute("sandbox")]).toEqual(["/frame/", "allow-scripts"]);
});
