import type { Page } from "playwright-core";
import { test } from "vitest";
import { eventually, NotebookPage } from "./lib/notebook.js";
import type { Failure } from "./lib/proxy.js";
import { world } from "./lib/world.js";

const { user, server, notebook, startProxy } = world();

test.each([
  ["the core", /\/assets\/core-.*\.wasm/],
  ["the worker", /\/assets\/(?:shared)?worker-.*\.js/i],
  ["a script of the page", /\/assets\/(?:main|NotebookPage)-.*\.js/],
  ["the first script and the styles", /\/assets\/index-.*\.(?:js|css)/],
] as const)("the page recovers from a failed load of %s during a restart of the server, and so do later tabs", async (_, path) => {
  const proxy = await startProxy();
  const ada = await user({ serviceWorkers: "block" }, proxy); // a service worker would serve later tabs from its cache
  for (const way of ["refused", "bad gateway", "cut"] satisfies Failure[]) {
    const id = await notebook("start"); // a worker of its own
    proxy.disconnect();
    proxy.reconnect();
    let asked = 0;
    proxy.fail = (address) => {
      if (!path.test(address)) return undefined;
      asked++;
      return way;
    };
    const tab = await ada.page();
    await forget(tab);
    await tab.goto(`${ada.url}/nb/${id}`);
    await eventually(
      () => asked,
      (n) => n >= 2,
      `${way}: the file is requested again`,
    );
    proxy.fail = () => undefined;
    const hers = new NotebookPage(tab);
    await hers.type(1, "");
    await tab.keyboard.press("Control+End");
    await tab.keyboard.type("!");
    await hers.saved();
    await eventually(
      () => tab.getByText(/still loading/).count(),
      (n) => n === 0,
      "the notice of loading is gone",
    );
    const later = await ada.page();
    await later.goto(`${ada.url}/nb/${id}`);
    await new NotebookPage(later).saved();
    await later.close();
    await tab.close();
    await eventually(
      () => server().sources(id),
      (shown) => shown.includes("start!"),
      way,
    );
  }
});

/** Clears the HTTP cache, so that a tab loads the page as for the first time. */
async function forget(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.clearBrowserCache");
}
