import { expect, test } from "vitest";
import { code, importCells } from "./lib/ipynb.js";
import { eventually, NotebookPage } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, open, notebook, server } = world();

test("a notebook of 2,000 cells opens, scrolls to its end and can be edited there", async () => {
  const cells = Array.from({ length: 2000 }, (_, i) => code(`x${i} = ${i}\ny${i} = x${i} + 1\nprint(y${i})`));
  const id = await importCells(server(), cells);
  const ada = await user();
  const hers = await open(ada, id);
  await eventually(
    () => hers.count(),
    (n) => n === 2000,
    "all cells are known",
  );
  const mounted = await hers.page.locator("[data-cell]").count();
  expect(mounted).toBeLessThan(200);
  await hers.page.keyboard.press("Escape");
  await hers.cell(1).click({ position: { x: 5, y: 5 } });
  await hers.page.keyboard.press("Escape");
  await hers.page.keyboard.press("Control+End");
  await hers.cell(2000).waitFor();
  await hers.type(2000, "");
  await hers.page.keyboard.press("Control+End");
  await hers.page.keyboard.type(" # the end");
  await hers.saved();
  await expect.poll(() => hers.source(2000)).toContain("# the end");
  await eventually(
    () => server().sources(id),
    (shown) => shown.includes("# the end"),
    "the log has it",
  );
});

test("a million lines of output are shown to the end without blocking the page", async () => {
  const id = await notebook("for i in range(1_000_000):\n    print(i)", "");
  const ada = await user();
  const hers: NotebookPage = await open(ada, id);
  await hers.run(1);
  await hers.type(2, "typing goes on");
  await expect.poll(() => hers.source(2)).toBe("typing goes on");
  await hers.says(1, /ran in/);
  await hers.shows(1, "999999");
  expect(await hers.cell(1).locator("*").count()).toBeLessThan(5_000);
});
