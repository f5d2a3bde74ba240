import { expect, test } from "vitest";
import { NotebookPage } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { server, signIn, notebook, open } = world();

test("a sign-out removes everything from the browser, in all tabs", async () => {
  const id = await notebook("print('precious')");
  const ada = await signIn();
  const hers = await open(ada, id);
  const other = new NotebookPage(await ada.open(await notebook("2")));
  await hers.type(1, "# more\n");
  await hers.saved();
  await hers.page.getByRole("button", { name: "More", exact: true }).click();
  await hers.page.getByRole("menuitem", { name: "Sign out" }).click();
  await hers.page.getByRole("heading", { name: "Sign out?" }).waitFor();
  await hers.page.getByRole("button", { name: "Sign out" }).click();
  for (const { page } of [hers, other]) await page.getByRole("heading", { name: "Sign in to Quire" }).waitFor();
  const left = (): Promise<unknown> =>
    hers.page.evaluate(async () => ({
      databases: (await indexedDB.databases()).length,
      caches: await caches.keys(),
      storage: localStorage.length,
      workers: (await navigator.serviceWorker.getRegistrations()).length,
    }));
  await expect.poll(left).toEqual({ databases: 0, caches: [], storage: 0, workers: 0 });
  expect((await ada.context.cookies()).length).toBe(0);
});

test("a sign-out warns of pending changes", async () => {
  const ada = await signIn();
  const hers = await open(ada, await notebook("1"));
  await hers.saved();
  const out = await ada.page();
  await out.goto(`${server().url}/logout`);
  await out.getByRole("button", { name: "Sign out", exact: true }).waitFor();
  await out.evaluate(async () => {
    const opening = indexedDB.open("quire");
    const db = await new Promise<IDBDatabase>((resolve) => (opening.onsuccess = () => resolve(opening.result)));
    const writing = db.transaction("replicas", "readwrite");
    writing.objectStore("replicas").put({ notebook: "another", client: "one", state: "{}", seq: 0, pending: 1, chunks: 0, used: Date.now() });
    await new Promise((resolve) => (writing.oncomplete = resolve));
    db.close();
  });
  await out.reload();
  await out.getByText("has not reached the server yet").waitFor();
  await out.getByRole("link", { name: "Stay" }).click();
  await out.getByRole("heading", { name: "Notebooks" }).waitFor();
});
