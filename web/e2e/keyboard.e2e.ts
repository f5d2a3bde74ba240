import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { eventually } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, open, notebook } = world();

/** Presses keys while the page is busy, so that it reads them all at once. */
async function pressBusy(page: Page, keys: readonly string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const busy = page.evaluate(() => {
    const end = performance.now() + 1500;
    while (performance.now() < end);
  });
  const sent = keys.flatMap((key) => {
    const text = key === "Enter" ? "\r" : key;
    const code = key === "Enter" ? 13 : key === " " ? 32 : key.toUpperCase().charCodeAt(0);
    return [
      session.send("Input.dispatchKeyEvent", { type: "keyDown", key, text, windowsVirtualKeyCode: code }),
      session.send("Input.dispatchKeyEvent", { type: "keyUp", key, windowsVirtualKeyCode: code }),
    ];
  });
  await Promise.all([busy, ...sent]);
  await session.detach();
}

test("Tab reaches all tools of a cell and of its outputs, and the buttons that add cells", async () => {
  const id = await notebook("print('x')", "2");
  const ada = await user();
  const hers = await open(ada, id);
  await hers.run(1);
  await hers.says(1, /ran in/);
  await hers.page.keyboard.press("Escape");
  for (const name of ["Find in output", "More for this cell"]) await hers.cell(1).getByRole("button", { name }).waitFor({ state: "attached" }); // they are mounted after the rest
  const names: string[] = [];
  for (let i = 0; i < 20; i++) {
    await hers.page.keyboard.press("Tab");
    names.push(await hers.page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? ""));
  }
  for (const name of [
    "Move cell 1",
    "Run cell",
    "Find in output",
    "Copy output",
    "Full screen",
    "Kind of cell: Python",
    "Move down",
    "Delete cell",
    "More for this cell",
    "Add code below",
    "Add text below",
  ]) {
    expect(names).toContain(name);
  }
  await hers.editor(1).click();
  await hers.page.keyboard.press("Home");
  await hers.page.keyboard.press("Tab");
  await expect.poll(() => hers.source(1)).toBe("    print('x')"); // in the editor Tab indents
});

test("Shift+F10 and a right click open the menu of a cell", async () => {
  const id = await notebook("1", "2");
  const ada = await user();
  const hers = await open(ada, id);
  await hers.editor(1).click();
  await hers.page.keyboard.press("Escape");
  await hers.page.keyboard.press("Shift+F10");
  for (const name of ["Run all above", "Run this and all below", "Duplicate", "Hide code", "Change to Markdown", "Delete"]) {
    await hers.page.getByRole("menuitem", { name, exact: false }).first().waitFor();
  }
  await hers.page.keyboard.press("Escape");
  await hers
    .cell(2)
    .locator("[class*=gutter]")
    .first()
    .click({ button: "right", position: { x: 5, y: 30 } });
  await hers.page.getByRole("menuitem", { name: "Duplicate" }).click();
  await eventually(
    () => hers.count(),
    (n) => n === 3,
    "the cell is duplicated",
  );
});

test("Escape in the search of an output returns the focus to its cell", async () => {
  const id = await notebook("for i in range(30): print('row', i)");
  const ada = await user();
  const hers = await open(ada, id);
  await hers.run(1);
  await hers.shows(1, "row 1");
  await hers.cell(1).hover();
  await hers.page.getByRole("button", { name: "Find in output" }).click();
  await hers.page.keyboard.type("row");
  await hers.page.keyboard.press("Escape");
  await eventually(
    () => hers.page.evaluate(() => document.activeElement?.getAttribute("data-group")),
    (group) => group === "cell",
    "the cell has the focus",
  );
});

test("keys have the same effect when a busy page reads them all at once", async () => {
  const id = await notebook("1", "2", "3", "4", "5", "6");
  const ada = await user();
  const hers = await open(ada, id);
  await hers.editor(2).click();
  await hers.page.keyboard.press("Escape");
  await pressBusy(hers.page, [..."ddddjddb", "Enter", ..."dd ax"]);
  await expect.poll(() => hers.sources()).toEqual(["1", "4", "6", "dd ax"]);
});
