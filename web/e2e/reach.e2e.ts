import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { world } from "./world.js";

const { person, open, notebook, server } = world();

/** Returns what axe finds on a page that keeps people out. */
async function barriers(page: Page): Promise<string[]> {
  // The page's policy forbids scripts of others, so axe comes in as the browser's own developer tools would bring it.
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Runtime.evaluate", { expression: axe.source });
  const run = "axe.run(document, { resultTypes: ['violations'], iframes: false }).then((r) => JSON.stringify(r.violations))";
  const { result } = await devtools.send("Runtime.evaluate", { expression: run, awaitPromise: true });
  const found: axe.Result[] = JSON.parse(String(result.value));
  return found
    .filter((violation) => violation.impact === "serious" || violation.impact === "critical")
    .map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.html.slice(0, 200)).join(" | ")}`);
}

test.each([
  ["light", 1280],
  ["dark", 1280],
  ["light", 390],
] as const)("no page has a serious barrier in %s, %d wide", async (colorScheme, width) => {
  const ada = await person({ colorScheme, viewport: { width, height: 844 } });
  const dashboard = await ada.page();
  await dashboard.goto(server().url);
  await dashboard.getByRole("button", { name: /new notebook/i }).first().waitFor();
  expect(await barriers(dashboard)).toEqual([]);
  const id = await notebook("print('x')", "1 / 0", "import json\n{'a': 1}", `wide = "${"x".repeat(300)}"`);
  await server().quire("add", id, "--kind", "markdown", "# Title\n\nSome *text* with $x^2$.");
  await server().quire("exec", id, "--all").catch(() => undefined);
  const hers = await open(ada, id);
  await hers.shows(2, "ZeroDivisionError");
  expect(await barriers(hers.page)).toEqual([]);
  for (const [key, what] of [["Control+f", hers.page.getByRole("textbox", { name: "Find" })], ["Shift+I", hers.page.getByRole("complementary", { name: "Variables" })], ["?", hers.page.getByRole("dialog")]] as const) {
    await hers.editor(1).click();
    await hers.page.keyboard.press("Escape");
    await hers.page.keyboard.press(key);
    await what.waitFor();
    expect(await barriers(hers.page), key).toEqual([]);
    await hers.page.keyboard.press("Escape");
    await what.waitFor({ state: "detached" });
  }
  await dashboard.reload();
  await dashboard.getByText("Test").first().waitFor();
  expect(await barriers(dashboard)).toEqual([]);
});
