import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import type { Page } from "playwright-core";
import { test } from "vitest";
import { code, importCells } from "./lib/ipynb.js";
import { NotebookPage } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, server, notebook } = world();
const folder = resolve(import.meta.dirname, "../shots");

const touch = { hasTouch: true, isMobile: true } as const;

const looks = [
  { name: "wide-light", colorScheme: "light", viewport: { width: 1280, height: 860 } },
  { name: "wide-dark", colorScheme: "dark", viewport: { width: 1280, height: 860 } },
  { name: "phone-light", colorScheme: "light", viewport: { width: 390, height: 780 }, ...touch },
  { name: "phone-dark", colorScheme: "dark", viewport: { width: 390, height: 780 }, ...touch },
  { name: "contrast-light", colorScheme: "light", contrast: "more", viewport: { width: 1280, height: 860 } },
  { name: "contrast-dark", colorScheme: "dark", contrast: "more", viewport: { width: 1280, height: 860 } },
  { name: "forced-light", colorScheme: "light", forcedColors: "active", viewport: { width: 1280, height: 860 } },
  { name: "forced-dark", colorScheme: "dark", forcedColors: "active", viewport: { width: 1280, height: 860 } },
] as const;

const sources = [
  "import numpy as np\nimport pandas as pd\nimport matplotlib.pyplot as plt\n\nx = np.linspace(0, 4 * np.pi, 200)\nplt.figure(figsize=(6, 2.2))\nplt.plot(x, np.sin(x), x, np.cos(x))\nplt.title('Two waves');",
  "pd.DataFrame({'wave': ['sine', 'cosine'], 'mean': [np.sin(x).mean(), np.cos(x).mean()], 'max': [1.0, 1.0]})",
  "for i, word in enumerate(['red', 'green', 'blue']):\n    print(f'\\033[3{1 + i}m{word}\\033[0m', 'https://example.org/' + word)",
  "{'answer': 42, 'list': list(range(5))}",
  "def broken(n):\n    return 1 / n\n\nbroken(0)",
];

async function shoot(page: Page, name: string, look: string): Promise<void> {
  await page.waitForTimeout(400); // for transitions to end
  await page.screenshot({ path: resolve(folder, `${name}-${look}.png`) });
}

test("pictures of every page, in every scheme, wide and on a phone", async () => {
  await mkdir(folder, { recursive: true });
  const signedOut = await (await user()).context.browser()?.newContext();
  const login = await signedOut?.newPage();
  await login?.goto(server().url);
  if (login) await shoot(login, "signed-out", "wide-light");
  await signedOut?.close();
  for (const { name, ...look } of looks) {
    const page = await (await user(look)).page();
    await page.goto(server().url);
    await page
      .getByRole("button", { name: /new notebook/i })
      .first()
      .waitFor();
    await shoot(page, "dashboard-empty", name);
  }
  const empty = await notebook();
  const text = "# Waves\n\nA **short** look at $\\sin x$ and $\\cos x$:\n\n- [x] plot them\n- [ ] compare them\n\n$$\\int_0^{2\\pi} \\sin^2 x\\,dx = \\pi$$";
  const full = await importCells(server(), [{ cell_type: "markdown", source: text }, ...sources.map(code)], { title: "Waves and tables" });
  await server()
    .quire("exec", full, "--all")
    .catch(() => undefined);
  for (const title of ["Survey 2026", "A model of rain", "Scratch"]) await server().quire("new", title);
  for (const { name, ...look } of looks) {
    const page = await (await user(look)).page();
    await page.goto(server().url);
    await page.getByText("A model of rain").first().waitFor();
    await shoot(page, "dashboard", name);
    await page.goto(`${server().url}/nb/${empty}`);
    await page.locator("textarea, [contenteditable=true]").first().waitFor();
    await shoot(page, "notebook-empty", name);
    await page.goto(`${server().url}/nb/${full}`);
    const cells = new NotebookPage(page);
    await cells.editor(2).waitFor();
    await page.locator("img[alt]").first().waitFor();
    await page.getByText("(you)", { exact: true }).first().waitFor({ state: "attached" });
    await shoot(page, "notebook", name);
    await cells.editor(2).click();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Shift+ArrowDown");
    await shoot(page, "notebook-selected", name);
    await page.mouse.move(200, 400);
    await page.mouse.wheel(0, 20_000);
    await page.waitForTimeout(500);
    await page.mouse.wheel(0, 20_000);
    await shoot(page, "notebook-end", name);
    await cells.editor(1).count();
    await page.keyboard.press("Escape");
    await page.locator("body").press("?");
    await shoot(page, "keys", name);
  }
});
