import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { eventually, NotebookPage } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, server } = world();
const example = resolve(import.meta.dirname, "../../examples/first.ipynb");

test("a Jupyter file is imported, run and exported with its outputs", async () => {
  const ada = await user();
  const page = await ada.page();
  await page.goto(server().url);
  const chooser = page.waitForEvent("filechooser");
  await page
    .getByRole("button", { name: /import/i })
    .first()
    .click();
  await (await chooser).setFiles(example);
  await page.waitForURL(/\/nb\//);
  const cells = new NotebookPage(page);
  await page.locator("[data-cell]").first().waitFor();
  await page
    .getByRole("button", { name: /run all/i })
    .first()
    .click();
  const id = /\/nb\/([^/?#]+)/.exec(page.url())?.[1] ?? "";
  await cells.saved();
  const answer = async (): Promise<string> => (await server().fetch(`/api/notebooks/${id}/export?format=ipynb`)).text();
  const ran = (file: string): boolean => {
    const { cells: all }: { cells: { outputs?: unknown[] }[] } = JSON.parse(file);
    return file.includes('"execution_count": 1') && all.some(({ outputs = [] }) => outputs.length > 0);
  };
  const file = await eventually(answer, ran, "the file has its outputs");
  const before: { cells: unknown[] } = JSON.parse(await readFile(example, "utf8"));
  const after: { cells: unknown[] } = JSON.parse(file);
  expect(after.cells).toHaveLength(before.cells.length);
});
