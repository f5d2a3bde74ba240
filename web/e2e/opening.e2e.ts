import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { User } from "./lib/browser.js";
import { importCells } from "./lib/ipynb.js";
import { eventually, kept, NotebookPage } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, server, notebook, open } = world();

/** Delays requests of a page with a matching address until the returned function is called. */
async function hold(page: Page, address: RegExp): Promise<() => void> {
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(address, async (route) => {
    await held;
    await route.continue();
  });
  return letGo;
}

/** Makes a user without a service worker: requests that it answers from its cache cannot be delayed. */
function unaided(options: Parameters<typeof user>[0] = {}): ReturnType<typeof user> {
  return user({ ...options, serviceWorkers: "block" });
}

/**
 * Changes a cached script of the page to wait until "letGo" is called. The service worker is needed here: it authenticates
 * the request for the page, and without that the server renders no cells.
 */
async function holdKept(ada: User, address: RegExp): Promise<void> {
  const tab = await ada.page();
  await tab.goto(server().url);
  await kept(tab);
  const held = await tab.evaluate(async (pattern) => {
    let count = 0;
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        if (!new RegExp(pattern).test(request.url)) continue;
        const text = await (await cache.match(request))?.text();
        await cache.put(
          request,
          new Response(`await new Promise((go) => (globalThis.letGo = go));\n${text ?? ""}`, { headers: { "Content-Type": "text/javascript" } }),
        );
        count++;
      }
    }
    return count;
  }, address.source);
  expect(held, "scripts that wait").toBe(1);
  await tab.close();
}

/** Has a tab run the core in a worker of its own, whose requests can be delayed. */
async function ownWorker(page: Page): Promise<void> {
  await page.addInitScript(() => void Reflect.deleteProperty(globalThis, "SharedWorker"));
}

/** Makes a notebook with one of each kind of cell that the server renders. */
function various(): Promise<string> {
  const out = (text: string): object => ({ output_type: "stream", name: "stdout", text });
  return importCells(server(), [
    { cell_type: "markdown", source: "# A title\n\nSome words that are read before any code." },
    { cell_type: "code", execution_count: 12, source: "a = 1\nprint(a)", outputs: [out("1\n")] },
    { cell_type: "code", execution_count: null, source: "", outputs: [] },
    { cell_type: "code", execution_count: 3, source: `wide = "${"x".repeat(300)}"`, outputs: [out("one\ntwo\n"), out("three\n")] },
    { cell_type: "raw", source: "raw text" },
    { cell_type: "code", execution_count: 4, source: "last", outputs: [] },
  ]);
}

/** Returns the tops and heights of all elements that match a selector. */
function boxes(page: Page, selector: string): Promise<readonly (readonly [top: number, height: number])[]> {
  return page.locator(selector).evaluateAll((all) => all.map((one) => [one.getBoundingClientRect().top, one.getBoundingClientRect().height] as const));
}

test.each([
  [1280, 900],
  [390, 844],
])("the first cells are painted before any script, and do not move when the components take over (%d × %d)", async (width, height) => {
  const id = await various();
  const ada = await user({ viewport: { width, height } });
  await holdKept(ada, /\/assets\/main-.*\.js$/);
  const page = await ada.page();
  await page.addInitScript(() => {
    Object.assign(globalThis, { shifts: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) Object.assign(globalThis, { shifts: Reflect.get(globalThis, "shifts") + Number(Reflect.get(entry, "value")) });
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(`${server().url}/nb/${id}`, { waitUntil: "commit" });
  await page.getByText("Some words that are read").waitFor();
  const before = await boxes(page, ".first-cell");
  expect(before).toHaveLength(6);
  await eventually(
    () => page.evaluate(() => typeof Reflect.get(globalThis, "letGo")),
    (type) => type === "function",
    "the script waits",
  );
  await page.evaluate(() => Reflect.get(globalThis, "letGo")());
  await page.locator(".first").waitFor({ state: "detached" });
  const list = new NotebookPage(page);
  await list.saved();
  const rounded = async (): Promise<unknown> => (await boxes(page, "[data-cell]")).map((box) => box.map(Math.round));
  await expect.poll(rounded).toEqual(before.map((box) => box.map(Math.round)));
  expect(await page.evaluate(() => Number(Reflect.get(globalThis, "shifts")))).toBeLessThan(0.02);
});

test("text typed before the core has started is saved, and merged with that of another user", async () => {
  const id = await notebook("one\ntwo");
  const ada = await unaided();
  const page = await ada.page();
  await ownWorker(page);
  const letGo = await hold(page, /\.wasm$/);
  await page.goto(`${server().url}/nb/${id}`);
  const hers = new NotebookPage(page);
  await hers.editor(1).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" and what was typed early");
  const his = await open(await user(), id);
  await his.saved();
  await his.editor(1).click();
  await his.page.keyboard.press("Control+Home");
  await his.page.keyboard.type("zero\n");
  await his.saved();
  expect(await hers.source(1)).toBe("one\ntwo and what was typed early");
  letGo();
  await hers.saved();
  const both = "zero\none\ntwo and what was typed early";
  await eventually(
    () => hers.source(1),
    (source) => source === both,
    "Ada's page has both texts",
  );
  await eventually(
    () => his.source(1),
    (source) => source === both,
    "Bob's page has both texts",
  );
  await page.keyboard.type("!");
  await eventually(
    () => server().sources(id),
    (shown) => shown.includes("typed early!"),
    "the log has the last key",
  );
});

test("a run requested before the core has started runs the typed source", async () => {
  const id = await notebook("");
  const page = await (await unaided()).page();
  await ownWorker(page);
  const letGo = await hold(page, /\.wasm$/);
  await page.goto(`${server().url}/nb/${id}`);
  const cells = new NotebookPage(page);
  await cells.editor(1).click();
  await page.keyboard.type("print(6 * 7)");
  await page.keyboard.press("Control+Enter");
  letGo();
  await cells.says(1, /ran in/);
  await cells.shows(1, "42");
});

test("commands given before the core has started are executed in order once it has", async () => {
  const id = await notebook("1", "2", "3", "4", "5", "6");
  const page = await (await unaided()).page();
  await ownWorker(page);
  const letGo = await hold(page, /\.wasm$/);
  await page.goto(`${server().url}/nb/${id}`);
  const cells = new NotebookPage(page);
  await cells.editor(2).click();
  await page.keyboard.press("Escape");
  for (const key of [..."ddddjddb", "Enter", ..."dd ax"]) await page.keyboard.press(key === " " ? "Space" : key);
  expect(await cells.sources()).toEqual(["1", "2", "3", "4", "5", "6"]);
  letGo();
  await expect.poll(() => cells.sources()).toEqual(["1", "4", "6", "dd ax"]);
});

test("a core that does not start is reported, and typed text stays in the page", async () => {
  const id = await notebook("x");
  const page = await (await unaided()).page();
  await ownWorker(page);
  const nothing = Buffer.from("\0asm\x01\0\0\0", "latin1"); // a valid module that is not the core
  await page.route(/\.wasm$/, (route) => route.fulfill({ contentType: "application/wasm", body: nothing }));
  await page.goto(`${server().url}/nb/${id}`);
  const cells = new NotebookPage(page);
  await cells.editor(1).click();
  await page.keyboard.type("yz");
  await page.getByText(/Nothing that you type here is saved/).waitFor();
  await expect.poll(() => cells.source(1)).toContain("yz");
});
