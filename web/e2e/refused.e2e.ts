import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { eventually, type NotebookPage } from "./lib/notebook.js";
import type { Proxy } from "./lib/proxy.js";
import { world } from "./lib/world.js";

const { user, server, notebook, open, startProxy } = world();

/** Opens a notebook behind a proxy, with access to the clipboard. */
async function behindProxy(proxy: Proxy, id: string): Promise<NotebookPage> {
  const hers = await open(await user({ permissions: ["clipboard-read", "clipboard-write"] }, proxy), id);
  await hers.saved();
  return hers;
}

/** Disconnects, and types at the end of the first cell. */
async function typeOffline(proxy: Proxy, hers: NotebookPage, text: string): Promise<void> {
  proxy.disconnect();
  await hers.editor(1).click();
  await hers.page.keyboard.press("Control+End");
  await hers.page.keyboard.type(text);
  await hers.page
    .getByText(/Offline · \d+ changes? kept here/)
    .first()
    .waitFor();
}

/** The page's notice about refused changes. */
function refusal(hers: NotebookPage): Locator {
  return hers.page.getByRole("status").filter({ hasText: "refused" });
}

function token(id: string, role: string): Promise<string> {
  return server().quire("token", "--notebook", id, "--name", "ada", "--role", role);
}

test("refused text is kept until it is dismissed, and can be copied and typed again", async () => {
  const id = await notebook("start", "other");
  const proxy = await startProxy();
  const hers = await behindProxy(proxy, id);
  await typeOffline(proxy, hers, " and a lost sentence");
  proxy.token = await token(id, "viewer");
  proxy.reconnect();
  await refusal(hers).getByText("1 change of yours was refused: your role in this notebook does not allow it.").waitFor();
  await eventually(
    () => hers.source(1),
    (text) => text === "start",
    "the cell has the server's source",
  );
  await hers.page.reload();
  await hers.saved();
  await refusal(hers).getByText("What you typed").click();
  await refusal(hers).getByText("and a lost sentence", { exact: true }).waitFor();
  await refusal(hers).getByRole("button", { name: "Copy the text" }).click();
  await eventually(
    () => hers.page.evaluate(() => navigator.clipboard.readText()),
    (text) => text === " and a lost sentence",
    "the text is copied",
  );
  expect(await server().sources(id)).not.toContain("lost sentence");

  proxy.disconnect();
  proxy.token = await token(id, "editor");
  proxy.reconnect();
  await hers.page.reload();
  await hers.saved();
  await hers.editor(1).click();
  await hers.page.keyboard.press("Control+End");
  await hers.page.keyboard.press("Control+v");
  await eventually(
    () => server().sources(id),
    (shown) => shown.includes("start and a lost sentence"),
    "the text is accepted",
  );
  await refusal(hers).getByRole("button", { name: "Dismiss" }).click();
  await refusal(hers).waitFor({ state: "detached" });
  await hers.page.reload();
  await hers.saved();
  expect(await refusal(hers).count()).toBe(0);
});

test("text typed offline into a deleted cell is restored with the cell", async () => {
  const id = await notebook("start", "other");
  const proxy = await startProxy();
  const hers = await behindProxy(proxy, id);
  await typeOffline(proxy, hers, " and a lost sentence");
  await server().quire("rm", id, "@1");
  proxy.reconnect();
  await eventually(
    () => hers.count(),
    (count) => count === 1,
    "the cell is gone",
  );
  await hers.saved();
  await hers.page.getByText("This cell was deleted. What you type is kept with it.").waitFor();
  await hers.page.getByRole("button", { name: "Restore" }).click();
  await eventually(
    () => hers.count(),
    (count) => count === 2,
    "the cell is restored",
  );
  await eventually(
    () => hers.source(1),
    (text) => text === "start and a lost sentence",
    "the source has the typed text",
  );
  await hers.saved();
  await eventually(
    () => server().sources(id),
    (shown) => shown.includes("start and a lost sentence"),
    "the log has it",
  );
});

test("a run that the role no longer allows is refused with a notice, and does not stay queued", async () => {
  const id = await notebook("print('ran')");
  const proxy = await startProxy();
  const hers = await behindProxy(proxy, id);
  proxy.disconnect();
  await hers.page.getByText("Reconnecting…").first().waitFor();
  await hers.run(1);
  await hers.page
    .getByText(/Offline · \d+ changes? kept here/)
    .first()
    .waitFor();
  proxy.token = await token(id, "viewer");
  proxy.reconnect();
  await refusal(hers).getByText("1 change of yours was refused: your role in this notebook does not allow it.").waitFor();
  expect(await refusal(hers).getByRole("button", { name: "Copy the text" }).count()).toBe(0);
  await hers.says(1, /^Cell 1, code$/);
});
