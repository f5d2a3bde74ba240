import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useLink } from "./lib/browser.js";
import { eventually, kept, NotebookPage, stored } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, signIn, server, open, notebook } = world();

test("a notebook reloaded without the server shows pending text, can be edited, and is sent later", async () => {
  const id = await notebook("start", "print('out')");
  const ada = await user();
  const hers = await open(ada, id);
  await hers.run(2);
  await hers.shows(2, "out");
  await hers.saved();
  await kept(hers.page);
  await server().kill();
  await hers.editor(1).click();
  await hers.page.keyboard.press("Control+End");
  await hers.page.keyboard.type(" before");
  await hers.page
    .getByText(/Offline · \d+ changes? kept here/)
    .first()
    .waitFor();
  await stored(hers.page, " before");
  await hers.page.reload();
  await eventually(
    () => hers.source(1),
    (text) => text === "start before",
    "the pending text is shown",
  );
  await hers.shows(2, "out");
  await hers.page
    .getByText(/server does not answer/i)
    .first()
    .waitFor();
  await hers.editor(1).click();
  await hers.page.keyboard.press("Control+End");
  await hers.page.keyboard.type(" after");
  const tab = new NotebookPage(await ada.page());
  await tab.page.goto(`${server().url}/nb/${id}`);
  await eventually(
    () => tab.source(1),
    (text) => text === "start before after",
    "another tab shows the pending text",
  );
  await server().start();
  await hers.saved();
  await eventually(
    () => server().sources(id),
    (shown) => shown.includes("start before after"),
    "the log has it",
  );
});

test("the list of notebooks reports that the server does not answer, and loads when it does", async () => {
  const id = await notebook("x");
  const ada = await user();
  const page = await ada.page();
  await page.goto(server().url);
  await page.getByText("Test").first().waitFor();
  await kept(page);
  await server().kill();
  const tab = await ada.page();
  await tab.goto(server().url);
  await tab
    .getByText(/server does not answer/i)
    .first()
    .waitFor();
  await server().start();
  await tab.locator(`[data-notebook="${id}"]`).waitFor();
});

test("the cached page is not used while the server answers, and a sign-in link works once", async () => {
  const id = await notebook("from the server");
  const ada = await signIn();
  const hers = await open(ada, id);
  await kept(hers.page);
  const answer = await hers.page.goto(`${server().url}/nb/${id}`);
  expect(await answer?.text()).toContain("from the server"); // the cached page has no cells in it
  const link = await server().link();
  await useLink(hers.page, link);
  await hers.page.getByText("Test").first().waitFor();
  await hers.page.goto(link);
  await hers.page.getByRole("button", { name: "Sign in" }).click();
  await hers.page.getByRole("heading", { name: "This link does not work any more" }).waitFor();
  const stored = await hers.page.evaluate(async () =>
    (
      await Promise.all((await caches.keys()).map(async (name) => (await (await caches.open(name)).keys()).map((request) => new URL(request.url).pathname)))
    ).flat(),
  );
  expect(stored.filter((path) => !/^\/(?:assets\/|theme\.js$|icon\.svg$|shell$|key$)/.test(path))).toEqual([]);
});

/** Signs the browser out as another tab does. */
async function signOut(page: Page): Promise<void> {
  await page.evaluate(() => fetch("/api/logout", { method: "POST", headers: { "Quire-Key": localStorage.getItem("quire.key") ?? "" } }));
}

test("a sign-out deletes the cached page, and a sign-in caches it again", async () => {
  const id = await notebook("x");
  const ada = await signIn();
  const hers = await open(ada, id);
  await kept(hers.page);
  await signOut(hers.page);
  await hers.page.getByRole("dialog", { name: /signed out/ }).waitFor();
  await eventually(
    () => hers.page.evaluate(async () => (await caches.keys()).length),
    (n) => n === 0,
    "no cache is left",
  );
  const tab = await ada.page();
  await useLink(tab, await server().link());
  await hers.saved();
  await eventually(
    () => hers.page.evaluate(async () => (await caches.match("/shell")) !== undefined),
    (yes) => yes,
    "the page is cached again",
  );
});

test("pending text of a tab is sent after a new sign-in, though the browser's storage was cleared", async () => {
  const id = await notebook("start");
  const ada = await signIn();
  const hers = await open(ada, id);
  await hers.saved();
  await kept(hers.page);
  await server().kill();
  await hers.type(1, "typed");
  await stored(hers.page, "typed");
  const browser = await ada.context.newCDPSession(hers.page);
  await browser.send("Storage.clearDataForOrigin", { origin: server().url, storageTypes: "all" });
  await ada.context.clearCookies();
  await server().start();
  await hers.page.getByRole("dialog", { name: /signed out/ }).waitFor();
  const tab = await ada.page();
  await useLink(tab, await server().link());
  await hers.saved();
  await eventually(
    () => server().sources(id),
    (shown) => shown.includes("starttyped"),
    "the log has it",
  );
});

test("a tab from before a sign-out and a new tab show each other's text after a new sign-in", async () => {
  const id = await notebook("start");
  const ada = await signIn();
  const hers = await open(ada, id);
  await hers.saved();
  await kept(hers.page);
  await signOut(hers.page);
  await hers.page.getByRole("dialog", { name: /signed out/ }).waitFor();
  const back = await ada.page();
  await useLink(back, await server().link());
  await hers.saved();
  const tab = await open(ada, id);
  await tab.saved();
  for (const [from, to, text] of [
    [hers, tab, "older "],
    [tab, hers, "newer "],
  ] as const) {
    await from.type(1, text);
    await eventually(
      () => to.source(1),
      (shown) => shown.includes(text),
      "the other tab shows the text",
    );
  }
});
