import { expect, test } from "vitest";
import type { User } from "./lib/browser.js";
import { eventually, NotebookPage, stored } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, server, open, notebook, startProxy } = world();

/** Removes SharedWorker from all pages of a user. */
async function withoutShared(ada: User): Promise<User> {
  await ada.context.addInitScript(() => Reflect.deleteProperty(globalThis, "SharedWorker"));
  return ada;
}

test("two tabs without a shared worker edit and run like two users", async () => {
  const id = await notebook("x = 41", "");
  const ada = await withoutShared(await user());
  const [one, other] = [await open(ada, id), await open(ada, id)];
  expect(await one.page.evaluate(() => typeof SharedWorker)).toBe("undefined");
  await one.type(2, "print(x + 1)");
  await eventually(
    () => other.source(2),
    (text) => text === "print(x + 1)",
    "the other tab shows the source",
  );
  await other.run(1);
  await other.says(1, /ran in/);
  await other.run(2);
  await one.shows(2, "42");
  await one.editor(2).click();
  const undo = async (): Promise<string> => {
    await one.page.keyboard.press("Control+z"); // more than once: slow typing makes several undo steps
    return other.source(2);
  };
  await eventually(undo, (text) => text === "", "the other tab shows the undo");
  await one.saved();
  await one.page.reload();
  await eventually(
    () => one.source(1),
    (text) => text === "x = 41",
    "the source is shown after the reload",
  );
});

test("without a shared worker an open tab sends the text that a closed tab had typed offline", async () => {
  const id = await notebook("one", "two");
  const proxy = await startProxy();
  const ada = await withoutShared(await user({}, proxy));
  const visit = async (): Promise<NotebookPage> => {
    const tab = await open(ada, id);
    await tab.saved();
    return tab;
  };
  const [lives, dies] = [await visit(), await visit()];
  proxy.disconnect();
  for (const [tab, n, text] of [
    [lives, 1, " of the one"],
    [dies, 2, " of the other"],
  ] as const) {
    await tab.editor(n).click();
    await tab.page.keyboard.press("Control+End");
    await tab.page.keyboard.type(text);
    await tab.page
      .getByText(/Offline · \d+ changes? kept here/)
      .first()
      .waitFor();
  }
  await stored(dies.page, " of the other");
  await dies.page.close();
  expect(await lives.source(2)).toBe("two");
  proxy.reconnect();
  await lives.saved();
  await eventually(
    () => lives.source(2),
    (text) => text === "two of the other",
    "the text of the closed tab is shown",
  );
  await eventually(
    () => server().sources(id),
    (kept) => kept.includes("one of the one") && kept.includes("two of the other"),
    "the log has both",
  );
  await lives.page.reload();
  await eventually(
    () => lives.source(2),
    (text) => text === "two of the other",
    "the page shows both after a reload",
  );
});
