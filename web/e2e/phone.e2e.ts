import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { eventually, NotebookPage } from "./notebook.js";
import { Proxy } from "./proxy.js";
import { world } from "./world.js";

const { person, server, open, notebook } = world();
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

test("on a phone nothing of a cell's state is cut off, and its tools cover no line of it", async () => {
  const id = await notebook("1 / 0", "print('a line that is as long as the screen is wide')");
  const hers = await open(await person(phone), id);
  await hers.page.getByRole("button", { name: "Run all" }).last().tap();
  await hers.says(2, /not run: an earlier cell failed/);
  expect(await hers.cell(2).getByText("Not run: an earlier cell failed or was stopped").isVisible()).toBe(true);
  const state = await boxOf(hers.cell(2).locator('[data-kind="not run"]'));
  const source = await boxOf(hers.cell(2).locator(".cm-editor"));
  expect(state.left).toBeGreaterThanOrEqual(0);
  expect(state.right).toBeLessThanOrEqual(source.left);
  await hers.editor(2).tap();
  const tools = await boxOf(hers.cell(2).getByRole("toolbar"));
  const line = await boxOf(hers.cell(2).locator(".cm-line").first());
  expect(tools.bottom).toBeLessThanOrEqual(line.top + 4); // a line is higher than its letters
  await server().quire("rename", id, "A title that is longer than any phone is wide");
  const title = hers.page.getByRole("heading", { level: 1 }).locator("bdi");
  await eventually(() => title.innerText(), (text) => text.startsWith("A title"), "the title");
  const runtime = hers.page.locator("header").getByRole("img").last();
  expect((await boxOf(title)).right).toBeLessThan((await boxOf(runtime)).left);
  expect(await hers.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
});

test("on a phone whoever else is in a cell covers none of its text and none of its tools", async () => {
  const id = await notebook("print('one line')", "print('another line')");
  const [ada, bob] = await Promise.all([person(phone), person()]);
  const [hers, his] = await Promise.all([open(ada, id), open(bob, id)]);
  await his.editor(2).click();
  await hers.editor(2).tap();
  const avatar = await boxOf(hers.cell(2).getByLabel("Also in this cell").getByRole("img"));
  expect(avatar.bottom).toBeLessThanOrEqual((await boxOf(hers.cell(2).locator(".cm-line").first())).top + 1);
  expect(avatar.top).toBeGreaterThanOrEqual((await boxOf(hers.cell(1).locator(".cm-line").last())).bottom);
  expect(avatar.right).toBeLessThanOrEqual((await boxOf(hers.cell(2).getByRole("toolbar"))).left);
});

test("on a phone a cell that one comes to stays as tall as it is, and what is said covers none of the bar below", async () => {
  const id = await notebook("x = 1", "y = 2");
  const hers = await open(await person(phone), id);
  const before = await boxOf(hers.cell(2));
  await hers.editor(2).tap();
  await hers.cell(2).getByRole("button", { name: "Move cell 2" }).waitFor();
  expect((await boxOf(hers.cell(2))).bottom).toBe(before.bottom);
  await hers.page.locator("header").getByRole("button", { name: "More", exact: true }).tap();
  await hers.page.getByRole("menuitem", { name: "Clear all outputs" }).tap();
  const toast = await boxOf(hers.page.getByRole("listitem").filter({ hasText: "All outputs are cleared." }));
  expect(toast.bottom).toBeLessThanOrEqual((await boxOf(hers.page.getByRole("toolbar", { name: "Cells" }))).top);
});

test("what is said above a notebook pushes nothing of it off the screen", async () => {
  const id = await notebook("x = 1");
  const cable = await Proxy.to(new URL(server().url));
  const ada = await person(phone);
  const page = await ada.page();
  await page.goto(cable.through(await server().link()));
  await page.goto(cable.through(`${server().url}/nb/${id}`));
  const hers = new NotebookPage(page);
  await hers.editor(1).waitFor();
  await hers.saved();
  cable.pull();
  await page.getByText("The server does not answer.").waitFor();
  const bar = page.getByRole("button", { name: "Run cell" }).last();
  await eventually(async () => (await boxOf(bar)).bottom, (bottom) => bottom <= phone.viewport.height, "the bar below is on the screen");
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(phone.viewport.height);
  await cable.close();
});
