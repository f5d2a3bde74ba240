import { expect, test } from "vitest";
import { violations } from "./lib/accessibility.js";
import { code, importCells } from "./lib/ipynb.js";
import { world } from "./lib/world.js";

const { user, browser, open, server } = world();

test.each([
  ["light", 1280, "no-preference"],
  ["dark", 1280, "no-preference"],
  ["light", 390, "no-preference"],
  ["light", 1280, "more"],
  ["dark", 1280, "more"],
] as const)("no page has a serious accessibility violation in the %s scheme, %d pixels wide, contrast preference: %s", async (colorScheme, width, contrast) => {
  const look = { colorScheme, contrast, viewport: { width, height: 844 } };
  const anonymous = await browser().newContext(look);
  const signInPage = await anonymous.newPage();
  await signInPage.goto(server().url);
  await signInPage.getByRole("button", { name: "Sign in" }).waitFor();
  await expect.poll(() => violations(signInPage)).toEqual([]);
  await anonymous.close();
  const ada = await user(look);
  const dashboard = await ada.page();
  await dashboard.goto(server().url);
  await dashboard
    .getByRole("button", { name: /new notebook/i })
    .first()
    .waitFor();
  await expect.poll(() => violations(dashboard)).toEqual([]);
  const sources = ["print('x')", "1 / 0", "import json\n{'a': 1}", `wide = "${"x".repeat(300)}"`];
  const id = await importCells(server(), [...sources.map(code), { cell_type: "markdown", source: "# Title\n\nSome *text* with $x^2$." }]);
  await server()
    .quire("exec", id, "--all")
    .catch(() => undefined);
  const hers = await open(ada, id);
  await hers.shows(2, "ZeroDivisionError");
  await expect.poll(() => violations(hers.page)).toEqual([]);
  for (const [key, what] of [
    ["Control+f", hers.page.getByRole("textbox", { name: "Find" })],
    ["Shift+I", hers.page.getByRole("complementary", { name: "Variables" })],
    ["?", hers.page.getByRole("dialog")],
  ] as const) {
    await hers.editor(1).click();
    await hers.page.keyboard.press("Escape");
    await hers.page.keyboard.press(key);
    await what.waitFor();
    await expect.poll(() => violations(hers.page), { message: key }).toEqual([]);
    await hers.page.keyboard.press("Escape");
    await what.waitFor({ state: "detached" });
  }
  await dashboard.reload();
  await dashboard.getByText("Test").first().waitFor();
  await expect.poll(() => violations(dashboard)).toEqual([]);
});
