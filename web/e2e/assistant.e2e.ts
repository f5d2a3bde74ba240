import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { violations } from "./lib/accessibility.js";
import { world } from "./lib/world.js";

const { user, server, notebook, open } = world();

test("an ai cell is asked by keys, and its tools are approved in it, for two users", async () => {
  const id = await notebook("depth = 1/0", "");
  const [{ id: cell = "" } = {}] = await server().cells(id);
  const script = join(server().data, "turns.json");
  const edit = { call: { name: "edit_cell", arguments: { cell, old: "1/0", new: "6*7" } } };
  const run = { call: { name: "run_cell", arguments: { cell } } };
  await writeFile(script, JSON.stringify({ turns: [{ parts: [{ text: "I mend it." }, edit] }, { parts: [run] }, { parts: [{ text: "It is **mended**." }] }] }));
  await server().quire("provider", "add", "demo", "--kind", "scripted", "--script", script);

  const [ada, bob] = await Promise.all([user(), user({ colorScheme: "dark" })]);
  const [hers, his] = await Promise.all([open(ada, id), open(bob, id)]);
  await hers.cell(2).click({ position: { x: 2, y: 2 } });
  await hers.page.getByRole("button", { name: "Kind of cell: Python" }).click();
  await hers.page.getByRole("menuitemcheckbox", { name: "AI" }).click();
  await hers.type(2, "mend *it*");
  await hers.page.keyboard.press("Control+Enter");

  const question = hers.page.getByRole("region", { name: "Approval of edit_cell" });
  await question.getByRole("button", { name: "Allow once" }).waitFor();
  expect(await question.getByLabel("Change").textContent()).toContain("+depth = 6*7");
  await his.page.getByRole("region", { name: "Approval of edit_cell" }).waitFor();
  await expect.poll(() => violations(hers.page)).toEqual([]);
  await expect.poll(() => violations(his.page)).toEqual([]);
  await question.getByRole("button", { name: "Allow once" }).focus();
  await hers.page.keyboard.press("Enter");
  await expect.poll(() => hers.source(1)).toBe("depth = 6*7");
  await his.page.getByRole("region", { name: "Tool edit_cell" }).getByText("Done").waitFor();

  const second = his.page.getByRole("region", { name: "Approval of run_cell" });
  await second.getByRole("textbox", { name: /^Reason/ }).fill("it takes long");
  await his.page.keyboard.press("Enter");
  const denied = hers.page.getByRole("region", { name: "Tool run_cell" });
  await denied.getByText(/^Denied by .*: it takes long$/).waitFor();
  await hers.page.getByText("mended", { exact: true }).waitFor();
  await hers.page.getByText(/tokens in/).waitFor();
  expect(await hers.page.getByRole("region", { name: /^Approval of/ }).count()).toBe(0);
  await expect.poll(() => violations(hers.page)).toEqual([]);
  await server().quire("delete", id); // the assistant, which outlives its server, ends with the notebook
  await server().quire("purge", id, "--yes");
});
