import { once } from "node:events";
import { createServer } from "node:http";
import { expect, test } from "vitest";
import { useLink } from "./lib/browser.js";
import { eventually } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { server, signIn, notebook, open } = world();

test("the cookie alone, which programs at other ports of the host receive, gives access to nothing", async () => {
  const id = await notebook("print('precious')");
  const ada = await signIn();
  let cookie = "";
  const neighbour = createServer((request, answer) => {
    cookie = request.headers.cookie ?? cookie;
    answer.setHeader("Content-Type", "text/html").end("<title>Neighbour</title>");
  }).listen(0, "127.0.0.1");
  await once(neighbour, "listening");
  const address = neighbour.address();
  const tab = await ada.page();
  await tab.goto(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`);
  expect(cookie).toMatch(/^quire_\d+=/); // otherwise the requests below would prove nothing
  expect(await tab.evaluate(() => localStorage.getItem("quire.key"))).toBeNull();

  const forged = { Cookie: cookie, Origin: server().url, "Sec-Fetch-Site": "same-origin" };
  for (const path of [
    "/api/me",
    "/api/notebooks",
    `/api/notebooks/${id}/view`,
    `/api/notebooks/${id}/export?format=py`,
    `/api/notebooks/${id}/log`,
    "/metrics",
  ]) {
    expect((await fetch(server().url + path, { headers: forged })).status, path).toBe(401);
  }
  for (const path of ["/api/links", "/api/tokens", "/api/notebooks", `/api/notebooks/${id}/runtime/restart`]) {
    const headers = { ...forged, "Content-Type": "application/json" };
    expect((await fetch(server().url + path, { method: "POST", headers, body: "{}" })).status, path).toBe(401);
  }
  const page = await fetch(`${server().url}/nb/${id}`, { headers: forged });
  expect(await page.text()).not.toContain("precious");
  neighbour.close();
});

test("a page without its half of the sign-in says so, and continues after a sign-in in another tab", async () => {
  const id = await notebook("1 + 1");
  const ada = await signIn();
  const hers = await open(ada, id);
  await hers.page.evaluate(() => localStorage.removeItem("quire.key"));
  await hers.page.reload();
  await hers.page.getByRole("dialog", { name: /signed out/ }).waitFor();
  const tab = await ada.page();
  await useLink(tab, await server().link());
  await eventually(
    () => hers.page.getByRole("dialog", { name: /signed out/ }).count(),
    (n) => n === 0,
    "the page continues",
  );
  await hers.page.locator('[contenteditable="true"]').first().waitFor();
});

test("an export is downloaded from the menu, though a link carries no key", async () => {
  const id = await notebook("print('saved')");
  const ada = await signIn();
  const hers = await open(ada, id);
  await hers.page.getByRole("button", { name: "More", exact: true }).click();
  const [file] = await Promise.all([hers.page.waitForEvent("download"), hers.page.getByRole("menuitem", { name: /\.py/ }).click()]);
  expect(file.suggestedFilename()).toMatch(/\.py$/);
});

test("an export opened in a tab of its own is downloaded, and forbidden in another browser", async () => {
  const id = await notebook("print('saved')");
  const ada = await signIn();
  const hers = await open(ada, id);
  await hers.page.getByRole("button", { name: "More", exact: true }).click();
  const item = hers.page.getByRole("menuitem", { name: /\.py/ });
  await item.hover();
  const address = await eventually(
    () => item.getAttribute("href"),
    (href) => href?.startsWith("/exports/") ?? false,
    "the link is an export link",
  );
  const [pressed] = await Promise.all([hers.page.waitForEvent("download"), item.click({ button: "middle" })]);
  expect(pressed.suggestedFilename()).toMatch(/\.py$/);
  const tab = await ada.page();
  const [file] = await Promise.all([tab.waitForEvent("download"), tab.goto(server().url + address).catch(() => undefined)]);
  expect(file.suggestedFilename()).toMatch(/\.py$/);

  const other = await signIn();
  const theirs = await other.page();
  const answer = await theirs.goto(server().url + address);
  expect(answer?.status()).toBe(403); // signed in, but in another browser
});
