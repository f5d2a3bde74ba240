import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { eventually } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, server, open, notebook, startProxy } = world();
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

async function boxOf(element: Locator): Promise<Box> {
  const box = await element.boundingBox();
  if (!box) return expect.fail(`${String(element)} is not shown`);
  return { left: box.x, right: box.x + box.width, top: box.y, bottom: box.y + box.height };
}

test("on a phone the state of a cell is not cut off, and its tools cover no text", async () => {
  const id = await notebook("1 / 0", "print('a line that is as long as the screen is wide')");
  const hers = await open(await user(phone), id);
  await hers.page.getByRole("button", { name: "Run all" }).last().tap();
  await hers.says(2, /not run: an earlier cell failed/);
  await hers.cell(2).getByText("An earlier cell failed or was stopped.").waitFor();
  const state = hers.cell(2).locator('[data-kind="not run"]');
  const source = hers.cell(2).locator(".cm-editor");
  await expect.poll(async () => (await boxOf(state)).left).toBeGreaterThanOrEqual(0);
  await expect.poll(async () => (await boxOf(source)).left - (await boxOf(state)).right).toBeGreaterThanOrEqual(0);
  await hers.editor(2).tap();
  const tools = hers.cell(2).getByRole("toolbar");
  const line = hers.cell(2).locator(".cm-line").first();
  await expect.poll(async () => (await boxOf(tools)).bottom - (await boxOf(line)).top).toBeLessThanOrEqual(4); // a line is taller than its letters
  await server().quire("rename", id, "A title that is longer than any phone is wide");
  const title = hers.page.getByRole("heading", { level: 1 }).locator("bdi");
  await eventually(
    () => title.innerText(),
    (text) => text.startsWith("A title"),
    "the title",
  );
  const runtime = hers.page.locator("header").getByRole("img").last();
  await expect.poll(async () => (await boxOf(runtime)).left - (await boxOf(title)).right).toBeGreaterThan(0);
  await expect.poll(() => hers.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
});

test("on a phone the avatar of another user covers neither text nor tools", async () => {
  const id = await notebook("print('one line')", "print('another line')");
  const [ada, bob] = await Promise.all([user(phone), user()]);
  const [hers, his] = await Promise.all([open(ada, id), open(bob, id)]);
  await his.editor(2).click();
  await hers.editor(2).tap();
  const avatar = hers.cell(2).getByLabel("Also in this cell").getByRole("img");
  const covers = async (): Promise<readonly string[]> => {
    const [at, own, above, tools] = await Promise.all([
      boxOf(avatar),
      boxOf(hers.cell(2).locator(".cm-line").first()),
      boxOf(hers.cell(1).locator(".cm-line").last()),
      boxOf(hers.cell(2).getByRole("toolbar")),
    ]);
    return [
      ...(at.bottom > own.top + 1 ? ["the text"] : []),
      ...(at.top < above.bottom ? ["the text above"] : []),
      ...(at.right > tools.left ? ["the tools"] : []),
    ];
  };
  await expect.poll(covers).toEqual([]);
});

test("on a phone a focused cell keeps its height, and toasts do not cover the toolbar", async () => {
  const id = await notebook("x = 1", "y = 2");
  const hers = await open(await user(phone), id);
  const before = await boxOf(hers.cell(2));
  await hers.editor(2).tap();
  await hers.cell(2).getByRole("button", { name: "Move cell 2" }).waitFor();
  await expect.poll(async () => (await boxOf(hers.cell(2))).bottom).toBe(before.bottom);
  await hers.page.locator("header").getByRole("button", { name: "More", exact: true }).tap();
  await hers.page.getByRole("menuitem", { name: "Clear all outputs" }).tap();
  const toast = hers.page.getByRole("listitem").filter({ hasText: /cleared\.|no outputs to clear/ });
  const covers = async (): Promise<number> => (await boxOf(toast)).bottom - (await boxOf(hers.page.getByRole("toolbar", { name: "Cells" }))).top;
  await eventually(covers, (pixels) => pixels <= 0, "the toast is above the toolbar");
});

test("on a phone a notice above the notebook pushes nothing off the screen", async () => {
  const id = await notebook("x = 1");
  const proxy = await startProxy();
  const hers = await open(await user(phone, proxy), id);
  const { page } = hers;
  await hers.saved();
  proxy.disconnect();
  await page.getByText("The server does not answer.").waitFor();
  const bar = page.getByRole("button", { name: "Run cell" }).last();
  await eventually(
    async () => (await boxOf(bar)).bottom,
    (bottom) => bottom <= phone.viewport.height,
    "the bar below is on the screen",
  );
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollHeight)).toBe(phone.viewport.height);
});
