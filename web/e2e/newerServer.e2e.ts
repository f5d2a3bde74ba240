import { expect, test } from "vitest";
import { eventually } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, server, notebook, open, startProxy } = world();

test("a page older than the server reloads once, and loses no text", async () => {
  const id = await notebook("start");
  const proxy = await startProxy();
  const hers = await open(await user({}, proxy), id);
  const { page } = hers;
  await hers.saved();
  let loads = 0;
  page.on("load", () => loads++);
  proxy.disconnect();
  await hers.editor(1).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" typed");
  await page
    .getByText(/Offline · \d+ changes? kept here/)
    .first()
    .waitFor();
  proxy.newer = true;
  proxy.reconnect();
  await page.getByText(/The server is newer than this page/).waitFor(); // the notice of the reload itself may be too short to be seen
  await eventually(
    () => loads,
    (count) => count === 1,
    "the page reloads",
  );
  await page.getByText(/The server is newer than this page: reload it/).waitFor();
  await new Promise((done) => setTimeout(done, 5_000)); // longer than the page waits before a reload
  expect(loads).toBe(1);
  proxy.newer = false;
  await page.getByRole("button", { name: "Reload" }).first().click();
  await eventually(
    () => hers.source(1),
    (text) => text === "start typed",
    "the text is shown",
  );
  await hers.saved();
  await eventually(
    () => server().sources(id),
    (shown) => shown.includes("start typed"),
    "the log has it",
  );
});
