import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { eventually } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, open, notebook } = world();

/** Returns the computed outline and colours of an element. */
function drawn(element: Locator): Promise<{ readonly outline: string; readonly color: string; readonly ground: string }> {
  return element.evaluate((shown) => {
    const { outlineStyle: outline, color, backgroundColor: ground } = getComputedStyle(shown);
    return { outline, color, ground };
  });
}

test.each(["light", "dark"] as const)("in forced colours (%s) outlines replace shadows and backgrounds", async (colorScheme) => {
  const id = await notebook("x = 1", "1 / 0", "y = 1");
  const hers = await open(await user({ colorScheme, forcedColors: "active" }), id);
  const outlines = async (): Promise<readonly string[]> => Promise.all([1, 2, 3].map(async (n) => (await drawn(hers.cell(n))).outline));
  await hers.run(1);
  await hers.says(1, /ran in/);
  await hers.run(2);
  await hers.says(2, /failed/);
  await hers.page.keyboard.press("Escape");
  await expect.poll(outlines, { message: "the focused cell" }).toEqual(["none", "solid", "none"]);
  await hers.page.keyboard.press("Shift+ArrowUp");
  await expect.poll(outlines, { message: "the selected cells" }).toEqual(["solid", "dashed", "none"]);
  const icon = (n: number): Promise<string> => hers.cell(n).locator("[data-kind] > svg").first().innerHTML();
  expect(await icon(1), "the icon of a successful run").not.toBe(await icon(2));
  await hers.editor(3).click();
  await expect.poll(() => drawn(hers.cell(3).locator("[data-editor]")), { message: "the focused editor" }).toMatchObject({ outline: "solid" });
  await expect.poll(() => drawn(hers.cell(1).locator("[data-editor]"))).toMatchObject({ outline: "none" });
});

test.each(["light", "dark"] as const)("in forced colours (%s) text on the page's own backgrounds is legible", async (colorScheme) => {
  const id = await notebook("needle = 'needle'");
  const hers = await open(await user({ colorScheme, forcedColors: "active" }), id);
  const page = await drawn(hers.page.locator("body"));
  await hers.cell(1).getByRole("button", { name: "Run cell" }).hover();
  const tip = hers.page.locator("body > [aria-hidden]", { hasText: "Run cell" });
  await tip.waitFor();
  await expect.poll(() => drawn(tip)).toMatchObject({ color: page.color, ground: page.ground });
  await hers.editor(1).click();
  await hers.page.keyboard.press("Escape");
  await hers.page.keyboard.press("Control+f");
  await hers.page.getByRole("textbox", { name: "Find" }).fill("needle");
  for (const mark of [hers.page.locator("mark"), hers.cell(1).locator(".cm-found").last(), hers.cell(1).locator(".cm-foundCurrent")]) {
    await eventually(
      () => drawn(mark.first()),
      ({ color, ground }) => ground !== page.ground && color !== ground,
      "the mark differs from its background",
    );
  }
});
