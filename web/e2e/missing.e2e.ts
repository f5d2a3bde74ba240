import { expect, test } from "vitest";
import { eventually, NotebookPage } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, server, open, notebook } = world();

test("an unknown notebook is reported as such, with a link to the list", async () => {
  const page = await (await user()).page();
  await page.goto(`${server().url}/nb/nosuch`);
  await page.getByRole("heading", { name: "There is no such notebook" }).waitFor();
  const shown = await page.locator("body").innerText();
  expect(shown).not.toMatch(/was deleted|how it was/);
  expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(1);
  expect(await page.getByRole("button", { name: "Restore" }).count()).toBe(0);
  await page.getByRole("link", { name: "All notebooks" }).click();
  await page.getByRole("heading", { name: "Notebooks" }).waitFor();
});

test("a deleted notebook can be restored at its address", async () => {
  const id = await notebook("still here");
  await server().quire("delete", id);
  const hers = new NotebookPage(await (await user()).page());
  await hers.page.goto(`${server().url}/nb/${id}`);
  await hers.page.getByRole("heading", { name: "“Test” was deleted" }).waitFor();
  await hers.page.getByRole("button", { name: "Restore" }).click();
  await eventually(
    () => hers.source(1),
    (text) => text === "still here",
    "the cell is shown",
  );
  await hers.saved();
});

test("a notebook deleted while open stays visible and can be restored", async () => {
  const id = await notebook("in sight");
  const hers = await open(await user(), id);
  await hers.saved();
  await server().quire("delete", id);
  await hers.page.getByText("This notebook was deleted. What you see is how it was.").waitFor();
  expect(await hers.source(1)).toBe("in sight");
  await hers.page.getByRole("button", { name: "Restore" }).click();
  await hers.saved();
  await hers.page.getByText("This notebook was deleted").waitFor({ state: "detached" });
});
