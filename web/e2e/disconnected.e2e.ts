import { expect, test } from "vitest";
import { eventually, stored } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, server, open, notebook, startProxy } = world();

test("text typed while disconnected is kept, reported and merged after the reconnection", async () => {
  const id = await notebook("start");
  const proxy = await startProxy();
  const hers = await open(await user({}, proxy), id);
  const { page } = hers;
  await hers.saved();
  proxy.disconnect();
  await hers.editor(1).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" offline");
  await page
    .getByText(/Offline · \d+ changes? kept here/)
    .first()
    .waitFor();
  await server().quire("add", id, "by another");
  const caret = await page.evaluate(() => getSelection()?.focusOffset);
  proxy.reconnect();
  await hers.saved();
  await eventually(
    () => hers.source(1),
    (text) => text === "start offline",
    "the text is shown",
  );
  await eventually(
    () => hers.count(),
    (n) => n === 2,
    "the cell of another client is shown",
  );
  await expect.poll(() => page.evaluate(() => getSelection()?.focusOffset)).toBe(caret);
  await eventually(
    () => server().sources(id),
    (shown) => shown.includes("start offline"),
    "the log has it",
  );
});

test("text typed offline survives the tab, and is sent when the notebook is opened again", async () => {
  const id = await notebook("start");
  const ada = await user();
  const hers = await open(ada, id);
  await hers.saved();
  await server().kill();
  await hers.editor(1).click();
  await hers.page.keyboard.press("Control+End");
  await hers.page.keyboard.type(" in the dark");
  await hers.page
    .getByText(/Offline · \d+ changes? kept here/)
    .first()
    .waitFor();
  await stored(hers.page, " in the dark");
  await hers.page.close();
  await server().start();
  const again = await open(ada, id);
  await eventually(
    () => again.source(1),
    (text) => text === "start in the dark",
    "the text is shown",
  );
  await again.saved();
  await eventually(
    () => server().sources(id),
    (shown) => shown.includes("start in the dark"),
    "the log has it",
  );
});

test("no text and no output is lost when the server is killed repeatedly during typing and a run", async () => {
  const id = await notebook("import time\nfor i in range(60):\n    print('line', i, flush=True)\n    time.sleep(0.1)\nprint('the end')", "");
  const ada = await user();
  const hers = await open(ada, id);
  await hers.run(1);
  await hers.shows(1, "line 1");
  await hers.editor(2).click();
  let typed = "";
  for (let round = 0; round < 3; round++) {
    for (const letter of `round ${round} `) {
      await hers.page.keyboard.type(letter);
      typed += letter;
      if (typed.length % 5 === 3) await server().kill();
      if (typed.length % 5 === 4) await server().start();
    }
  }
  if (typed.length % 5 === 3) await server().start();
  await hers.saved();
  await expect.poll(() => hers.source(2)).toBe(typed);
  await hers.shows(1, "the end");
  await hers.says(1, /ran in/);
  const shown = await eventually(
    () => server().quire("show", id),
    (text) => text.includes(typed.trim()),
    "the log has it",
  );
  for (let i = 0; i < 60; i++) expect(shown.split(new RegExp(`line ${i}\\b`)).length - 1, `line ${i}`).toBe(1);
});

test("a page continues after the machine has slept", async () => {
  const id = await notebook("x = 1");
  const ada = await user();
  const hers = await open(ada, id);
  await hers.saved();
  const devtools = await ada.context.newCDPSession(hers.page);
  await devtools.send("Page.setWebLifecycleState", { state: "frozen" });
  await server().stop();
  await server().start();
  await server().quire("add", id, "meanwhile");
  await devtools.send("Page.setWebLifecycleState", { state: "active" });
  await eventually(
    () => hers.count(),
    (n) => n === 2,
    "the cell of another client is shown",
  );
  await hers.type(2, "");
  await hers.page.keyboard.press("Control+End");
  await hers.page.keyboard.type("!");
  await hers.saved();
  await eventually(
    () => hers.source(2),
    (text) => text === "meanwhile!",
    "the typed text is shown",
  );
});
