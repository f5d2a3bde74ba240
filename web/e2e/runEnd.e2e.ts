import { expect, test } from "vitest";
import { eventually } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, server, notebook } = world();

/** Lets a test hide the page, and records its notifications. It runs in the page. */
function unseen(): void {
  const told: string[] = [];
  let hidden = false;
  Object.defineProperty(document, "hidden", { get: () => hidden });
  Object.assign(globalThis, {
    told,
    hide: (now: boolean) => {
      hidden = now;
      document.dispatchEvent(new Event("visibilitychange"));
    },
    Notification: class {
      static readonly permission = "granted";
      onclick: (() => void) | null = null;
      constructor(title: string, options: { body: string }) {
        told.push(`${title}: ${options.body}`);
      }
    },
  });
}

test("the end of a long run is shown in the title and by a notification while the tab is hidden", async () => {
  const id = await notebook("import time\ntime.sleep(10.5)", "1 / 0");
  const ada = await user();
  const page = await ada.page();
  await page.addInitScript(unseen);
  await page.goto(`${server().url}/nb/${id}`);
  const hide = (hidden: boolean): Promise<void> => page.evaluate((now) => Reflect.get(globalThis, "hide")(now), hidden);
  const told = (): Promise<readonly string[]> => page.evaluate(() => Reflect.get(globalThis, "told"));
  await page.getByRole("button", { name: "Run all" }).first().click();
  await eventually(
    () => page.title(),
    (title) => title === "● Test – Quire",
    "the title shows a run",
  );
  await hide(true);
  await eventually(
    () => page.title(),
    (title) => title === "✗ Test – Quire",
    "the title shows the failure",
  );
  const [first, ...more] = await eventually(told, (all) => all.length > 0, "a notification is shown");
  expect(first).toMatch(/^Test: Cell 2 failed/);
  expect(more).toEqual([]);
  await hide(false);
  await expect.poll(() => page.title()).toBe("Test – Quire");
});

test("the end of a short run is shown in the title of a hidden tab only", async () => {
  const id = await notebook("import time\ntime.sleep(3)");
  const ada = await user();
  const page = await ada.page();
  await page.addInitScript(unseen);
  await page.goto(`${server().url}/nb/${id}`);
  const hide = (hidden: boolean): Promise<void> => page.evaluate((now) => Reflect.get(globalThis, "hide")(now), hidden);
  const runs = async (then: string): Promise<void> => {
    await page.getByRole("button", { name: "Run all" }).first().click();
    await eventually(
      () => page.title(),
      (title) => title.startsWith("● "),
      "the title shows a run",
    );
    await eventually(
      () => page.title(),
      (title) => title === then,
      `it ended, and the title is ${then}`,
    );
  };
  await runs("Test – Quire");
  await hide(true);
  await runs("✓ Test – Quire");
  expect(await page.evaluate(() => Reflect.get(globalThis, "told"))).toEqual([]);
});
