import { expect, test } from "vitest";
import { eventually } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, open, notebook } = world();

test("folds survive a reload, and are shown to other users on request only", async () => {
  const id = await notebook("print('one')", "two");
  const [ada, bob] = [await user(), await user()];
  const hers = await open(ada, id);
  await hers.run(1);
  await hers.shows(1, "one");
  await hers.says(1, /ran in/);
  await hers.page.keyboard.press("Escape");
  await hers.page.keyboard.press("o");
  await hers.cell(1).getByRole("button", { name: "1 output collapsed" }).waitFor();
  await hers.cell(2).hover();
  await hers.cell(2).getByRole("button", { name: "More for this cell" }).click();
  await hers.page.getByRole("menuitem", { name: "Hide code" }).click();
  await hers.page.reload();
  await hers.cell(1).getByRole("button", { name: "1 output collapsed" }).waitFor();
  await hers.cell(2).getByRole("button", { name: "Show code: two" }).waitFor();
  const his = await open(bob, id);
  await his.editor(2).waitFor();
  expect(await his.cell(1).getByRole("button", { name: "1 output collapsed" }).count()).toBe(0);
  await hers.cell(2).hover();
  await hers.cell(2).getByRole("button", { name: "More for this cell" }).click();
  await hers.page.getByRole("menuitem", { name: "Show it like this to everyone" }).click();
  await his.cell(2).getByRole("button", { name: "Show code: two" }).waitFor();
});

test("matches are marked in the cells, and replacing all of them is one undo step", async () => {
  const id = await notebook("total = 1", "print(total, total)", "other");
  const ada = await user();
  const hers = await open(ada, id);
  await hers.editor(1).click();
  await hers.page.keyboard.press("Escape");
  await hers.page.keyboard.press("Control+f");
  await hers.page.getByRole("textbox", { name: "Find" }).fill("total");
  await hers.page.getByText("1 of 3").waitFor();
  await expect.poll(() => hers.page.locator(".cm-found").allInnerTexts()).toEqual(["total", "total", "total"]);
  await expect.poll(() => hers.cell(1).locator(".cm-foundCurrent").count()).toBe(1);
  await hers.page.keyboard.press("Enter");
  await hers.page.keyboard.press("Enter");
  await eventually(
    () => hers.cell(2).locator(".cm-foundCurrent").count(),
    (count) => count === 1,
    "the second match is the current one",
  );
  await hers.page.getByRole("textbox", { name: "Replace with" }).fill("sum");
  await hers.page.getByRole("button", { name: "All", exact: true }).click();
  await eventually(
    () => hers.source(2),
    (text) => text === "print(sum, sum)",
    "all are replaced",
  );
  await eventually(
    () => hers.source(1),
    (text) => text === "sum = 1",
    "in each cell",
  );
  await hers.page.getByRole("status").getByText("Replaced 3", { exact: true }).waitFor();
  await hers.page.getByRole("textbox", { name: "Find" }).press("Escape");
  await expect.poll(() => hers.page.locator(".cm-found").count()).toBe(0);
  await hers.page.keyboard.press("z");
  await eventually(
    () => hers.source(2),
    (text) => text === "print(total, total)",
    "one undo reverts all replacements",
  );
  await eventually(
    () => hers.source(1),
    (text) => text === "total = 1",
    "in each cell",
  );
});
