import { expect, test } from "vitest";
import { eventually, NotebookPage } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, server, open, notebook } = world();

test("a first notebook is made and a cell run by keyboard alone", async () => {
  const page = await (await user()).page();
  await page.goto(server().url);
  const make = page.getByRole("button", { name: /new notebook/i }).first();
  await make.waitFor();
  await make.focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/nb\//);
  const cells = new NotebookPage(page);
  await page.locator("textarea, [contenteditable=true]").first().waitFor();
  await page.keyboard.type("print(6 * 7)");
  await cells.editor(1).waitFor();
  await page.keyboard.press("Shift+Enter");
  await cells.says(1, /ran in/);
  await cells.shows(1, "42");
  await cells.saved();
  await eventually(
    () => cells.count(),
    (count) => count === 2,
    "another cell is added",
  );
});

test("typed text is in the page after a reload, and in the log", async () => {
  const id = await notebook("");
  const ada = await user();
  const first = await open(ada, id);
  await first.type(1, "x = 'typed'");
  await first.saved();
  await first.page.reload();
  await first.editor(1).waitFor();
  await eventually(
    () => first.source(1),
    (text) => text === "x = 'typed'",
    "the source is shown after the reload",
  );
  await eventually(
    () => server().sources(id),
    (shown) => shown.includes("x = 'typed'"),
    "the log has it",
  );
});

test("a reload during a run loses no output", async () => {
  const id = await notebook("import time\nfor i in range(40):\n    print('line', i, flush=True)\n    time.sleep(0.05)");
  const ada = await user();
  const cells = await open(ada, id);
  await cells.run(1);
  await cells.shows(1, "line 3");
  await cells.page.reload();
  await cells.says(1, /ran in/);
  await cells.shows(1, "line 39");
  const text = await cells.cell(1).innerText();
  for (let i = 0; i < 40; i++) expect(text.split(`line ${i}\n`).length - 1, `line ${i}`).toBeLessThanOrEqual(1);
});

test("a run whose tabs are all closed loses no output", async () => {
  const id = await notebook("import time\nfor i in range(30):\n    print('line', i, flush=True)\n    time.sleep(0.05)\nprint('the end')");
  const ada = await user();
  const cells = await open(ada, id);
  await cells.run(1);
  await cells.shows(1, "line 2");
  await cells.page.close();
  const again = await open(ada, id);
  await again.shows(1, "the end");
  await again.says(1, /ran in/);
});
