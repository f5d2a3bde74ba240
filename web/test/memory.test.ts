// @vitest-environment node
import { expect, test } from "vitest";
import type { Result } from "../src/core/view.js";
import { MemoryClient } from "./memory.js";

function sources(client: MemoryClient): readonly string[] {
  return (client.store.notebook()?.cells ?? []).map((id) => client.store.text(id)?.source ?? "");
}

function three(): MemoryClient {
  return new MemoryClient([{ source: "a" }, { source: "b" }, { source: "c" }]);
}

test("cells are added, moved, deleted and restored where they were", async () => {
  const client = three();
  expect(await client.command({ kind: "addCell", cellKind: "code", source: "x", after: "c1" })).toEqual({ cells: ["c4"] });
  expect(sources(client)).toEqual(["a", "x", "b", "c"]);
  await client.command({ kind: "moveCells", cells: ["c1", "c4"], after: "c3" });
  expect(sources(client)).toEqual(["b", "c", "a", "x"]);
  expect(await client.command({ kind: "deleteCells", cells: ["c3", "c1"] })).toEqual({ cells: ["c4"] });
  expect(sources(client)).toEqual(["b", "x"]);
  await client.command({ kind: "restoreCells", cells: ["c1", "c3"] });
  expect(sources(client)).toEqual(["b", "c", "a", "x"]);
});

test("a cell is split, and the parts are merged", async () => {
  const client = new MemoryClient([{ source: "one\ntwo\nthree" }, { source: "end" }]);
  const { cells = [] } = await client.command({ kind: "splitCell", cell: "c1", at: [4, 8] });
  expect(sources(client)).toEqual(["one\n", "two\n", "three", "end"]);
  await client.command({ kind: "mergeCells", cells });
  expect(sources(client)).toEqual(["one\n\n\ntwo\n\n\nthree", "end"]);
});

test("a push is taken on the latest version alone", async () => {
  const client = three();
  client.others("c1", ["x"]);
  expect(await client.push({ cell: "c1", version: 0, by: "me", edits: [["y"]] })).toBe(false);
  expect(await client.push({ cell: "c1", version: 1, by: "me", edits: [[2, "y"], ["z"]] })).toBe(true);
  expect(client.store.text("c1")).toEqual({ version: 3, source: "zxay" });
  await expect(client.push({ cell: "c1", version: 4, by: "me", edits: [] })).rejects.toThrow("is at version 3, not at 4");
});

test("updates that are held are shown in their order", () => {
  const client = three();
  const seen: number[] = [];
  client.onText("c1", (updates) => seen.push(...updates.map((u) => u.version)));
  client.hold();
  for (const text of ["x", "y", "z"]) client.others("c1", [text]);
  client.show(1);
  expect(client.store.text("c1")?.source).toBe("xa");
  client.letGo();
  expect(client.store.text("c1")?.source).toBe("zyxa");
  expect(seen).toEqual([0, 1, 2]);
});

test("a run replaces the outputs that were there with its first one", async () => {
  const client = three();
  client.output("c1", { kind: "stream", stream: "stdout", text: "old" });
  const { runs: [run = ""] = [] }: Result = await client.command({ kind: "runCells", cells: ["c1"] });
  expect(client.store.queue()).toEqual([run]);
  client.start(run);
  expect(client.store.cell("c1")).toMatchObject({ run, stale: true, outputs: ["o1"] });
  const output = client.output("c1", { kind: "stream", stream: "stdout", text: "new" });
  client.append(output, "er", 1);
  client.finish(run, "ok");
  expect(client.store.cell("c1")).toMatchObject({ stale: false, outputs: [output], count: 1 });
  expect(client.store.output(output)?.log?.text()).toBe("neer");
  expect(client.store.queue()).toEqual([]);
});

test("without cells all code cells are run that do not run already", async () => {
  const client = new MemoryClient([{}, { kind: "markdown" }, { kind: "ai" }]);
  await client.command({ kind: "runCells", cells: ["c1"] });
  const { runs = [] } = await client.command({ kind: "runCells" });
  expect(runs.map((run) => client.store.run(run))).toMatchObject([{ cell: "c3", takes: "ai", state: "pending" }]);
});

test("cancelling ends what waits and marks what runs", async () => {
  const client = three();
  const { runs: [first = "", second = ""] = [] } = await client.command({ kind: "runCells", cells: ["c1", "c2"] });
  client.start(first);
  await client.command({ kind: "cancelRuns" });
  expect(client.store.run(first)).toMatchObject({ state: "started", cancelled: true });
  expect(client.store.run(second)).toMatchObject({ state: "finished", status: "cancelled" });
});

test("a question is open until it is answered", async () => {
  const client = three();
  const { runs: [run = ""] = [] } = await client.command({ kind: "runCells", cells: ["c1"] });
  const input = client.ask(run, "name?");
  expect(client.store.inputs(run)).toMatchObject([{ id: input, prompt: "name?", open: true }]);
  await client.command({ kind: "answerInput", input, value: "Ada" });
  expect(client.store.inputs(run)).toEqual([]);
});

test("what it has not is refused with a message", async () => {
  const client = three();
  await expect(client.command({ kind: "undo" })).rejects.toThrow("not in memory");
  await expect(client.command({ kind: "moveCells", cells: ["c1"], after: "c9" })).rejects.toThrow("there is no cell c9");
  await expect(client.call("complete", {})).rejects.toThrow("there is no runtime");
});
