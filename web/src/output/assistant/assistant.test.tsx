import { act, cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeAll, expect, test } from "vitest";
import { MemoryClient } from "../../../test/memory.js";
import type { Json, Output, RunID } from "../../core/event.js";
import { ClientContext } from "../../core/hooks.js";
import { Outputs } from "../Outputs.js";

beforeAll(async () => void (await import("./PartView.js")));
afterEach(cleanup);

function display(type: string, value: Json, plain: string): Output {
  return {
    kind: "display",
    data: { [`application/vnd.quire.${type}+json`]: value, "text/plain": plain },
    metadata: { assistant: { role: "assistant", provider: "demo", model: "tiny", turn: 1 } },
  };
}

const call = display("tool-call", { id: "t1", tool: "edit_cell", class: "edits", arguments: { cell: "c9", old: "1/0", new: "6*7" } }, "edit_cell c9");

/** Shows an ai cell whose run has begun. */
async function answering(): Promise<{ client: MemoryClient; run: RunID }> {
  const client = new MemoryClient([{ kind: "ai" }]);
  const { runs: [run = ""] = [] } = await client.command({ kind: "runCells", cells: ["c1"] });
  client.start(run);
  render(
    <ClientContext value={client}>
      <Outputs cell="c1" />
    </ClientContext>,
  );
  return { client, run };
}

test("thinking is folded, and a press opens it", async () => {
  const { client } = await answering();
  act(() => void client.output("c1", display("thinking", { text: "a long thought" }, "a long thought")));
  const fold = await screen.findByRole("button", { name: "Thinking" });
  expect(screen.queryByText("a long thought")).toBeNull();
  await userEvent.click(fold);
  expect(screen.getByText("a long thought")).toBeDefined();
});

test("a tool call and its result are one card, with the change of an edit", async () => {
  const { client } = await answering();
  act(() => void client.output("c1", call));
  const card = await screen.findByRole("region", { name: "Tool edit_cell" });
  expect(within(card).getByText("Running")).toBeDefined();
  expect(within(card).getByLabelText("Change").textContent).toBe("removed: -1/0\nadded: +6*7\n");
  expect(within(card).queryByRole("button", { name: "Result" })).toBeNull();

  act(() => void client.output("c1", display("tool-result", { id: "t1", tool: "edit_cell", text: "changed cell c9" }, "edit_cell ok")));
  const cards = screen.getAllByRole("region", { name: "Tool edit_cell" });
  expect(cards).toHaveLength(1);
  expect(screen.getByText("Done")).toBeDefined();
  expect(screen.queryByText("changed cell c9")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Result" }));
  expect(screen.getByText("changed cell c9")).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "Arguments" }));
  expect(screen.getByText(/^cell: c9/)).toBeDefined();
});

test("a failed result, and one of another call, are told apart", async () => {
  const { client } = await answering();
  act(() => void client.output("c1", call));
  act(() => void client.output("c1", display("tool-result", { id: "t1", tool: "edit_cell", text: "no such text", failed: true }, "failed")));
  act(() => void client.output("c1", display("tool-result", { id: "t2", tool: "run_cell", text: "ran" }, "ok")));
  expect(await screen.findByText("Failed")).toBeDefined();
  expect(screen.getByRole("region", { name: "Tool run_cell" })).toBeDefined();
});

test("a call whose run was stopped was not carried out", async () => {
  const { client, run } = await answering();
  act(() => void client.output("c1", call));
  await screen.findByText("Running");
  act(() => client.finish(run, "cancelled"));
  expect(screen.getByText("Not carried out")).toBeDefined();
});

test("a call waits for the answer to its question, and says afterwards who gave it", async () => {
  const { client, run } = await answering();
  act(() => void client.output("c1", call));
  act(() => client.askApproval({ id: "a1", run, tool: "edit_cell", class: "edits" }));
  expect(await screen.findByText("Waits for approval")).toBeDefined();
  expect(screen.queryByLabelText("Change")).toBeNull(); // the question has it
  act(() => client.askApproval({ id: "a1", run, tool: "edit_cell", class: "edits", answer: "denied", reason: "not this cell", actor: "person:ada" }));
  act(() => void client.output("c1", display("tool-result", { id: "t1", tool: "edit_cell", text: "denied", failed: true, approval: "a1" }, "denied")));
  expect(screen.getByText("Denied by ada: not this cell")).toBeDefined();
});

test("the cost of an answer is a line at its end", async () => {
  const { client } = await answering();
  act(() => void client.output("c1", display("usage", { input: 1200, cached: 200, output: 30, turns: 2 }, "1200 tokens")));
  expect((await screen.findByText(/tokens in/)).textContent).toBe(`tiny · ${(1200).toLocaleString()} tokens in (200 cached) · 30 out · 2 requests`);
});
