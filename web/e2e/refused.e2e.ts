import type { Locator } from "playwright-core";
import { signIn } from "./lib/browser.js";
import { expect, test } from "vitest";
import type { Person } from "./lib/browser.js";
import { eventually, NotebookPage } from "./lib/notebook.js";
import { Proxy } from "./lib/proxy.js";
import { world } from "./lib/world.js";

const { person, server, notebook } = world();

/** Opens a notebook through a cable, for somebody who may use the clipboard. */
async function onCable(cable: Proxy, id: string): Promise<NotebookPage> {
  const ada: Person = await person({ permissions: ["clipboard-read", "clipboard-write"] });
  const page = await ada.page();
  await signIn(page, cable.through(await server().link()));
  await page.goto(cable.through(`${server().url}/nb/${id}`));
  const hers = new NotebookPage(page);
  await hers.editor(1).waitFor();
  await hers.saved();
  return hers;
}

/** Types at the end of the first cell while the cable is out. */
async function typeOffline(cable: Proxy, hers: NotebookPage, text: string): Promise<void> {
  cable.pull();
  await hers.editor(1).click();
  await hers.page.keyboard.press("Control+End");
  await hers.page.keyboard.type(text);
  await hers.page
    .getByText(/Offline · \d+ changes? kept here/)
    .first()
    .waitFor();
}

/** What the page says of what was refused. */
function refusal(hers: NotebookPage): Locator {
  return hers.page.getByRole("status").filter({ hasText: "refused" });
}

function token(id: string, role: string): Promise<string> {
  return server().quire("token", "--notebook", id, "--name", "ada", "--role", role);
}

test("what one typed offline and may not say any more is kept until it was read, and can be copied and said again", async () => {
  const id = await notebook("start", "other");
  const cable = await Proxy.to(new URL(server().url));
  const hers = await onCable(cable, id);
  await typeOffline(cable, hers, " and what nobody else has");
  cable.token = await token(id, "viewer");
  cable.plug();
  await refusal(hers).getByText("1 change of yours was refused: your role in this notebook does not allow it.").waitFor();
  await eventually(
    () => hers.source(1),
    (text) => text === "start",
    "the cell is as the server has it",
  );
  await hers.page.reload();
  await hers.saved();
  await refusal(hers).getByText("What you typed").click();
  await refusal(hers).getByText("and what nobody else has", { exact: true }).waitFor();
  await refusal(hers).getByRole("button", { name: "Copy the text" }).click();
  await eventually(
    () => hers.page.evaluate(() => navigator.clipboard.readText()),
    (text) => text === " and what nobody else has",
    "it is copied",
  );
  expect(await server().quire("show", id)).not.toContain("nobody else");

  cable.pull();
  cable.token = await token(id, "editor");
  cable.plug();
  await hers.page.reload();
  await hers.saved();
  await hers.editor(1).click();
  await hers.page.keyboard.press("Control+End");
  await hers.page.keyboard.press("Control+v");
  await eventually(
    () => server().quire("show", id),
    (shown) => shown.includes("start and what nobody else has"),
    "said again, it is taken",
  );
  await refusal(hers).getByRole("button", { name: "Dismiss" }).click();
  await refusal(hers).waitFor({ state: "detached" });
  await hers.page.reload();
  await hers.saved();
  expect(await refusal(hers).count()).toBe(0);
  await cable.close();
});

test("what was typed into a cell that another deleted meanwhile comes back with the cell", async () => {
  const id = await notebook("start", "other");
  const cable = await Proxy.to(new URL(server().url));
  const hers = await onCable(cable, id);
  await typeOffline(cable, hers, " and what nobody else has");
  await server().quire("rm", id, "@1");
  cable.plug();
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
    "the cell is back",
  );
  await eventually(
    () => hers.source(1),
    (text) => text === "start and what nobody else has",
    "with what was typed",
  );
  await hers.saved();
  await eventually(
    () => server().quire("show", id),
    (shown) => shown.includes("start and what nobody else has"),
    "the log has it",
  );
  await cable.close();
});

test("a run that one may not ask for any more is refused in words, and nothing waits for it", async () => {
  const id = await notebook("print('ran')");
  const cable = await Proxy.to(new URL(server().url));
  const hers = await onCable(cable, id);
  cable.pull();
  await hers.page.getByText("Reconnecting…").first().waitFor();
  await hers.run(1);
  await hers.page
    .getByText(/Offline · \d+ changes? kept here/)
    .first()
    .waitFor();
  cable.token = await token(id, "viewer");
  cable.plug();
  await refusal(hers).getByText("1 change of yours was refused: your role in this notebook does not allow it.").waitFor();
  expect(await refusal(hers).getByRole("button", { name: "Copy the text" }).count()).toBe(0);
  await hers.says(1, /^Cell 1, code$/);
  await cable.close();
});
