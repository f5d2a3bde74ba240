import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { eventually, NotebookPage, stored } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { server, user, notebook, open, startProxy } = world();
const secret = "hunter2-sesame";

/** Returns everything that a browser stores about notebooks as one text. */
function keptBy(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error ?? new Error("the browser's storage failed"));
      });
    const db = await done(indexedDB.open("quire"));
    const all: unknown[] = [{ ...localStorage }];
    for (const name of db.objectStoreNames) {
      const store = db.transaction(name).objectStore(name);
      all.push(await done(store.getAllKeys()), await done(store.getAll()));
    }
    db.close();
    return JSON.stringify(all);
  });
}

async function removed(page: Page): Promise<void> {
  await page.getByRole("heading", { name: "This notebook was removed for good" }).waitFor();
}

test("a purged notebook is removed from browsers that have it open or stored", async () => {
  const id = await notebook(`key = "${secret}"`);
  const other = await notebook("remains");
  const ada = await user();
  const tabs = [await open(ada, id), await open(ada, id)];
  const safe = new NotebookPage(await ada.open(other));
  const bob = await user();
  const his = await open(bob, id);
  for (const tab of [...tabs, safe, his]) await tab.saved();
  await eventually(
    () => keptBy(his.page),
    (kept) => kept.includes(secret),
    "the browser keeps the notebook",
  );
  await his.page.close();
  await server().quire("purge", id, "--yes");
  for (const { page } of tabs) await removed(page);
  for (const { page } of tabs) {
    const kept = await keptBy(page);
    expect(kept).not.toContain(secret);
    expect(kept).toContain(other);
    expect(await page.content()).not.toContain(secret);
  }
  const back = await bob.page();
  await back.goto(`${server().url}/nb/${id}`);
  await removed(back);
  await eventually(
    () => keptBy(back),
    (kept) => !kept.includes(secret),
    "the stored notebook is removed",
  );
  await safe.type(1, "# still ");
  await safe.saved();
  expect(await safe.source(1)).toContain("# still ");
});

test("a purged notebook is removed from a browser that opens the list of notebooks", async () => {
  const id = await notebook(secret);
  const ada = await user();
  const hers = await open(ada, id);
  await hers.saved();
  await eventually(
    () => keptBy(hers.page),
    (kept) => kept.includes(secret),
    "the browser keeps the notebook",
  );
  await hers.page.close();
  await server().quire("purge", id, "--yes");
  const home = await ada.page();
  await home.goto(server().url);
  await home.getByRole("heading", { name: "Notebooks" }).waitFor();
  await eventually(
    () => keptBy(home),
    (kept) => !kept.includes(secret),
    "the stored notebook is removed",
  );
});

test("text typed offline is removed when the notebook has been purged", async () => {
  const id = await notebook("start");
  const proxy = await startProxy();
  const ada = await user({}, proxy);
  const hers = await open(ada, id);
  const { page } = hers;
  await hers.saved();
  proxy.disconnect();
  await hers.type(1, secret);
  await page
    .getByText(/Offline · \d+ changes? kept here/)
    .first()
    .waitFor();
  await stored(page, secret);
  await page.close();
  await server().quire("purge", id, "--yes");
  proxy.reconnect();
  const back = await ada.page();
  await back.goto(`${ada.url}/nb/${id}`);
  await removed(back);
  await eventually(
    () => keptBy(back),
    (kept) => !kept.includes(id),
    "the pending text is removed",
  );
});
