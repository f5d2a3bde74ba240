import { expect, test } from "vitest";
import { signIn } from "./lib/browser.js";
import { eventually, NotebookPage } from "./lib/notebook.js";
import { Proxy } from "./lib/proxy.js";
import { world } from "./lib/world.js";

const { person, server, notebook } = world();

test("a page that is older than the server reloads by itself, and loses nothing that was typed", async () => {
  const id = await notebook("start");
  const cable = await Proxy.to(new URL(server().url));
  const ada = await person();
  const page = await ada.page();
  await signIn(page, cable.through(await server().link()));
  await page.goto(cable.through(`${server().url}/nb/${id}`));
  const hers = new NotebookPage(page);
  await hers.editor(1).waitFor();
  await hers.saved();
  let loads = 0;
  page.on("load", () => loads++);
  cable.pull();
  await hers.editor(1).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" typed");
  await page
    .getByText(/Offline · \d+ changes? kept here/)
    .first()
    .waitFor();
  cable.newer = true;
  cable.plug();
  await page.getByText(/The server is newer than this page/).waitFor(); // that it will reload may be over before it is seen
  await eventually(
    () => loads,
    (count) => count === 1,
    "it reloads",
  );
  await page.getByText(/The server is newer than this page: reload it/).waitFor();
  await new Promise((done) => setTimeout(done, 5_000)); // longer than it waits before it reloads
  expect(loads).toBe(1);
  cable.newer = false;
  await page.getByRole("button", { name: "Reload" }).first().click();
  await eventually(
    () => hers.source(1),
    (text) => text === "start typed",
    "the text is there",
  );
  await hers.saved();
  await eventually(
    () => server().quire("show", id),
    (shown) => shown.includes("start typed"),
    "the log has it",
  );
  await cable.close();
});
