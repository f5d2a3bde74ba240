import { test } from "vitest";
import { eventually } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, server, open, notebook } = world();

test("the texts that two users type into one cell at once both survive", async () => {
  const id = await notebook("middle");
  const [ada, bob] = await Promise.all([user(), user()]);
  const [hers, his] = await Promise.all([open(ada, id), open(bob, id)]);
  await hers.editor(1).click();
  await hers.page.keyboard.press("Control+Home");
  await his.editor(1).click();
  await his.page.keyboard.press("Control+End");
  const left = "the quick brown fox jumps ";
  const right = " over the lazy dog, twice";
  await Promise.all([hers.page.keyboard.type(left, { delay: 15 }), his.page.keyboard.type(right, { delay: 12 })]);
  for (const side of [hers, his]) {
    await eventually(
      () => side.source(1),
      (text) => text === `${left}middle${right}`,
      "the cell has both texts",
    );
    await side.saved();
  }
  await eventually(
    () => server().sources(id),
    (shown) => shown.includes(`${left}middle${right}`),
    "the log has it",
  );
});

test("two tabs of one browser share what is typed", async () => {
  const id = await notebook("x");
  const ada = await user();
  const [one, two] = [await open(ada, id), await open(ada, id)];
  await one.editor(1).click();
  await one.page.keyboard.press("End");
  await one.page.keyboard.type(" = 1");
  await eventually(
    () => two.source(1),
    (text) => text === "x = 1",
    "the second tab shows the text",
  );
  await two.type(1, "");
  await two.page.keyboard.press("End");
  await two.page.keyboard.type(" + 2");
  await eventually(
    () => one.source(1),
    (text) => text === "x = 1 + 2",
    "the first tab shows the text of the second",
  );
});

test("the caret of another user is shown", async () => {
  const id = await notebook("somewhere", "elsewhere");
  const [ada, bob] = await Promise.all([user(), user()]);
  const [hers, his] = await Promise.all([open(ada, id), open(bob, id)]);
  await his.editor(2).click();
  await hers.cell(2).getByLabel("Also in this cell").waitFor();
  await hers.page.locator(".cm-editor").nth(1).locator(".cm-peerCaret").first().waitFor({ state: "attached" });
});
