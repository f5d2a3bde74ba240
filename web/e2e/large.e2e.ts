import { expect, test } from "vitest";
import { eventually, NotebookPage } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { person, open, notebook, server } = world();

test("a notebook of 2,000 cells opens, scrolls to its end and takes typing there", async () => {
  const cells = Array.from({ length: 2000 }, (_, i) => ({
    cell_type: "code",
    id: `c${i}`,
    metadata: {},
    execution_count: null,
    outputs: [],
    source: `x${i} = ${i}\ny${i} = x${i} + 1\nprint(y${i})`,
  }));
  const file = JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells });
  const made = await server().fetch("/api/notebooks/import?format=ipynb&title=Large", {
    method: "POST",
    body: file,
    headers: { "Content-Type": "application/x-ipynb+json" },
  });
  const { id }: { id: string } = await made.json();
  const ada = await person();
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
    () => server().quire("show", id),
    (shown) => shown.includes("# the end"),
    "the log has it",
  );
});

test("a million lines of output are shown, followed to their end, and do not stop the page", async () => {
  const id = await notebook("for i in range(1_000_000):\n    print(i)", "");
  const ada = await person();
  const hers: NotebookPage = await open(ada, id);
  await hers.run(1);
  await hers.type(2, "typing goes on");
  await expect.poll(() => hers.source(2)).toBe("typing goes on");
  await hers.says(1, /ran in/);
  await hers.shows(1, "999999");
  expect(await hers.cell(1).locator("*").count()).toBeLessThan(5_000);
});
