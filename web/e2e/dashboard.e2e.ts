import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { eventually } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, server } = world();
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

interface Dropped {
  readonly name: string;
  readonly text: string;
}

/** Drops files on the page with the events that a browser sends. */
async function drop(page: Page, ...files: readonly Dropped[]): Promise<void> {
  const data = await page.evaluateHandle((all) => {
    const transfer = new DataTransfer();
    for (const { name, text } of all) transfer.items.add(new File([text], name));
    return transfer;
  }, files);
  const main = page.locator("main");
  await main.dispatchEvent("dragenter", { dataTransfer: data });
  await main.dispatchEvent("dragover", { dataTransfer: data });
  await page.getByText("Drop to import").waitFor();
  await main.dispatchEvent("drop", { dataTransfer: data });
  await page.getByText("Drop to import").waitFor({ state: "detached" });
}

function ipynb(title: string, source: string): string {
  return JSON.stringify({
    cells: [{ cell_type: "code", id: "a", metadata: {}, source, outputs: [], execution_count: null }],
    metadata: { title },
    nbformat: 4,
    nbformat_minor: 5,
  });
}

/** Returns the listed titles in order. */
function titles(page: Page): Promise<readonly string[]> {
  return page.locator("[data-notebook] [data-row]").evaluateAll((rows) => rows.map((row) => row.textContent));
}

/** Makes notebooks one after the other, so that their times are in order. */
async function made(...names: readonly string[]): Promise<readonly string[]> {
  const ids = [];
  for (const name of names) ids.push(await server().quire("new", name));
  return ids;
}

async function dashboard(page: Page, query = ""): Promise<void> {
  await page.goto(`${server().url}/${query}`);
  await page.getByRole("heading", { name: "Notebooks" }).waitFor();
}

function lists(page: Page, want: readonly string[], what: string): Promise<readonly string[]> {
  return eventually(
    () => titles(page),
    (got) => JSON.stringify(got) === JSON.stringify(want),
    what,
  );
}

test("files of each format are imported by one drop, and a broken one is reported with the reason", async () => {
  const page = await (await user()).page();
  await dashboard(page);
  await drop(
    page,
    { name: "census.ipynb", text: ipynb("Census", "print('census')") },
    { name: "broken.ipynb", text: '{"cells": [' },
    { name: "steps.py", text: "# %%\nx = 1\n# %%\nprint(x)\n" },
    { name: "Notes 2026.md", text: "# Heading\n\nSome words.\n\n```python\n1 + 1\n```\n" },
  );
  const panel = page.getByRole("region", { name: "Import" });
  await panel.getByText("Imported 3 files, 1 could not be").waitFor();
  const row = (name: string): Locator => panel.getByRole("listitem").filter({ hasText: name });
  await expect.poll(() => row("broken.ipynb").innerText()).toContain("not a Jupyter notebook that can be read: line 1: the file ends before the notebook does");
  expect(await row("broken.ipynb").getByRole("link").count()).toBe(0);
  expect(new URL(page.url()).pathname).toBe("/"); // none of several files is opened
  await eventually(
    () => titles(page),
    (got) => ["Census", "steps", "Notes 2026"].every((title) => got.includes(title)),
    "the other notebooks are listed",
  );
  await row("steps.py").getByRole("link", { name: "Open" }).click();
  await page.waitForURL(/\/nb\/.*steps/);
  await eventually(
    () => page.locator("[data-cell]").count(),
    (count) => count === 2,
    "the cells are shown",
  );
  await page.getByText("print(x)").waitFor();
});

test("a single dropped notebook opens, and a dropped file of another format leaves the page open", async () => {
  const page = await (await user()).page();
  await dashboard(page);
  await drop(page, { name: "picture.png", text: "\u0089PNG\r\n" });
  const panel = page.getByRole("region", { name: "Import" });
  await panel.getByText("1 file could not be imported").waitFor();
  await expect
    .poll(() => panel.getByRole("listitem").innerText())
    .toContain('There is no notebook format "png": a notebook is read from .ipynb, .md or a program');
  await panel.getByRole("button", { name: "Close" }).click();
  await drop(page, { name: "Single.md", text: "# One\n" });
  await page.waitForURL(/\/nb\/.*single/);
});

test("notebooks are sorted by each column in both orders, and the address keeps the order", async () => {
  const [b = ""] = await made("sort b", "Sort C", "sort a");
  // The listed time of a change may be a second late.
  await eventually(
    async () => (await server().quire("add", b, "1"), (await server().notebooks())[0]?.title),
    (title) => title === "sort b",
    "the notebook was changed last",
  );
  const page = await (await user()).page();
  await dashboard(page, "?q=sort");
  await lists(page, ["sort b", "sort a", "Sort C"], "those changed last are first");
  const sorted = async (column: string, order: "ascending" | "descending", want: readonly string[], query: string): Promise<void> => {
    await page.getByRole("columnheader", { name: column }).getByRole("button").click();
    await lists(page, want, `by ${column}, ${order}`);
    await expect.poll(() => page.getByRole("columnheader", { name: column }).getAttribute("aria-sort")).toBe(order);
    await eventually(
      () => new URL(page.url()).search,
      (search) => search === query,
      "the address",
    );
  };
  await sorted("Changed", "ascending", ["Sort C", "sort a", "sort b"], "?q=sort&order=asc");
  await sorted("Title", "ascending", ["sort a", "sort b", "Sort C"], "?q=sort&sort=title");
  await sorted("Title", "descending", ["Sort C", "sort b", "sort a"], "?q=sort&sort=title&order=desc");
  await sorted("Created", "descending", ["sort a", "Sort C", "sort b"], "?q=sort&sort=created");
  await sorted("Created", "ascending", ["sort b", "Sort C", "sort a"], "?q=sort&sort=created&order=asc");
  await page.reload();
  await lists(page, ["sort b", "Sort C", "sort a"], "after a reload too");
  await sorted("Changed", "descending", ["sort b", "sort a", "Sort C"], "?q=sort");
});

test("notebooks are sorted by a menu on a phone", async () => {
  await made("phone b", "phone a");
  const page = await (await user(phone)).page();
  await dashboard(page, "?q=phone");
  await lists(page, ["phone a", "phone b"], "those changed last are first");
  const choose = async (item: string): Promise<void> => {
    await page.getByRole("button", { name: /^Sort by/ }).tap();
    await page.getByRole("menu").getByText(item, { exact: true }).tap();
  };
  await choose("The other way around");
  await lists(page, ["phone b", "phone a"], "the other way around");
  await choose("Title");
  await lists(page, ["phone a", "phone b"], "by title");
  await choose("Created");
  await lists(page, ["phone a", "phone b"], "by when they were made");
});
