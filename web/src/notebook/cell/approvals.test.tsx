import { act, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { prepare, show, type Shown } from "../../../test/showNotebook.js";
import type { Approval } from "../../core/view.js";

prepare();

/** Shows an ai cell whose assistant asks whether it may edit. */
async function asked(): Promise<Shown & { readonly run: string; readonly approval: Approval }> {
  const shown = await show([{ kind: "ai", source: "mend it" }]);
  const { client } = shown;
  const { runs: [run = ""] = [] } = await client.command({ kind: "runCells", cells: ["c1"] });
  const approval: Approval = { id: "a1", run, tool: "edit_cell", class: "edits", arguments: { cell: "c9", old: "a", new: "b" }, diff: "-a\n+b\n" };
  act(() => {
    client.start(run);
    client.askApproval(approval);
  });
  return { ...shown, run, approval };
}

const card = (): Promise<HTMLElement> => screen.findByRole("region", { name: "Approval of edit_cell" });

test("a question says tool, effect, arguments and change, and is answered by a press", async () => {
  const { client, user } = await asked();
  const box = await card();
  expect(box.textContent).toContain("The assistant asks to call edit_cell. It changes cells.");
  expect(within(box).getByText(/^cell: c9/)).toBeDefined();
  expect(within(box).getByLabelText("Change").textContent).toBe("removed: -a\nadded: +b\n");
  await user.click(within(box).getByRole("button", { name: "Allow once" }));
  expect(client.last("answerApproval")).toEqual({ kind: "answerApproval", approval: "a1", answer: "once" });
  expect(screen.queryByRole("region", { name: "Approval of edit_cell" })).toBeNull();
  expect(screen.getByText(/^edit_cell: Allowed once/)).toBeDefined();
});

test("a prompt starts no runtime of code, by the header's words", async () => {
  await asked();
  await card();
  expect(screen.queryByText("Starting…")).toBeNull();
  expect(screen.getByText("Not started")).toBeDefined();
});

test("always says for what", async () => {
  const { client, user } = await asked();
  await user.click(within(await card()).getByRole("button", { name: "Always allow edit_cell in this notebook" }));
  expect(client.last("answerApproval")).toMatchObject({ answer: "always" });
});

test("a denial has its reason, and Enter in the reason denies", async () => {
  const { client, user } = await asked();
  const box = await card();
  await user.type(within(box).getByRole("textbox", { name: "Reason of a denial, optional" }), "not that cell{Enter}");
  expect(client.last("answerApproval")).toEqual({ kind: "answerApproval", approval: "a1", answer: "denied", reason: "not that cell" });
});

test("its buttons are reached by keys", async () => {
  const { client, user } = await asked();
  const allow = within(await card()).getByRole("button", { name: "Allow once" });
  for (let i = 0; i < 40 && document.activeElement !== allow; i++) await user.tab();
  expect(document.activeElement).toBe(allow);
  await user.keyboard("{Enter}");
  expect(client.last("answerApproval")).toMatchObject({ answer: "once" });
});

test("a member who may not approve sees that it waits", async () => {
  const { client } = await asked();
  const box = await card();
  act(() => client.status({ role: "viewer" }));
  expect(within(box).queryByRole("button", { name: "Allow once" })).toBeNull();
  expect(within(box).getByText("It waits for a person who may approve it.")).toBeDefined();
});

test("the answer of another person takes the place of the question", async () => {
  const { client, approval } = await asked();
  await card();
  act(() => client.askApproval({ ...approval, answer: "denied", reason: "later", actor: "person:bob" }));
  expect(screen.getByText("edit_cell: Denied by bob: later")).toBeDefined();
  expect(screen.queryByRole("button", { name: "Allow once" })).toBeNull();
});

test("a question ends with its run", async () => {
  const { client, run } = await asked();
  await card();
  act(() => client.finish(run, "cancelled"));
  expect(screen.queryByRole("button", { name: "Allow once" })).toBeNull();
});

test("a question ends with the result of its call, which comes without an answer too", async () => {
  const { client } = await asked();
  await card();
  const data = { "application/vnd.quire.tool-result+json": { id: "t1", tool: "edit_cell", text: "no person approved it", failed: true, approval: "a1" } };
  act(() => void client.output("c1", { kind: "display", data }));
  await waitFor(() => expect(screen.queryByRole("button", { name: "Allow once" })).toBeNull());
});
