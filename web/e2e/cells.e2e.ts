import { expect, test } from "vitest";
import { eventually } from "./lib/notebook.js";
import { world } from "./lib/world.js";

const { user, open, notebook } = world();

test("undo and redo of deleting and moving leave the changes of another user", async () => {
  const id = await notebook("one", "two", "three");
  const ada = await user();
  const hers = await open(ada, id);
  const order = async (): Promise<string> => (await hers.sources()).join(" ");
  const shows = (want: string): Promise<string> => eventually(order, (text) => text === want, want);
  await hers.editor(2).click();
  await hers.page.keyboard.press("Escape");
  await hers.page.keyboard.press("d");
  await hers.page.keyboard.press("d");
  await shows("one three");
  await hers.page.keyboard.press("Alt+ArrowUp");
  await shows("three one");
  const bob = await user();
  const his = await open(bob, id);
  await eventually(
    async () => (await his.sources()).join(" "),
    (text) => text === "three one",
    "Bob's page shows Ada's changes",
  );
  await his.editor(1).click();
  await his.page.keyboard.press("Control+End");
  await his.page.keyboard.type("!");
  await shows("three! one");
  await hers.page.keyboard.press("z");
  await shows("one three!");
  await hers.page.keyboard.press("z");
  await shows("one two three!");
  await hers.page.keyboard.press("Shift+Z");
  await shows("one three!");
  await hers.page.keyboard.press("Shift+Z");
  await shows("three! one");
});

test("undo in a cell removes the user's own text and leaves that of another user", async () => {
  const id = await notebook("");
  const [ada, bob] = [await user(), await user()];
  const [hers, his] = [await open(ada, id), await open(bob, id)];
  await hers.editor(1).click();
  await hers.page.keyboard.insertText("mine "); // one undo step, whereas keys with a pause between them can be several
  await eventually(
    () => his.source(1),
    (text) => text === "mine ",
    "Bob's page shows Ada's text",
  );
  await his.editor(1).click();
  await his.page.keyboard.press("Control+End");
  await his.page.keyboard.type("his");
  await eventually(
    () => hers.source(1),
    (text) => text === "mine his",
    "both texts",
  );
  await hers.page.keyboard.press("Control+z");
  await eventually(
    () => hers.source(1),
    (text) => text === "his",
    "Ada's text is undone",
  );
  await hers.page.keyboard.press("Control+Shift+Z");
  await eventually(
    () => his.source(1),
    (text) => text === "mine his",
    "Ada's text is redone",
  );
});

test("a cell is run and interrupted, and the runtime restarted", async () => {
  const id = await notebook("x = 1", "import time\nprint('begun', flush=True)\ntime.sleep(60)", "print(x)");
  const ada = await user();
  const hers = await open(ada, id);
  await hers.run(1);
  await hers.says(1, /ran in/);
  await hers.run(2);
  await hers.shows(2, "begun");
  await hers.cell(2).getByRole("button", { name: /^Stop/ }).click();
  await hers.says(2, /stopped after/);
  expect(
    await hers
      .cell(2)
      .getByRole("group", { name: /^Error/ })
      .count(),
  ).toBe(0); // an interrupt on request is no error
  await hers.cell(2).getByRole("button", { name: "Stopped on request" }).click();
  await hers.shows(2, "KeyboardInterrupt");
  await hers.run(3);
  await hers.shows(3, "1");
  await hers.editor(3).click();
  await hers.page.keyboard.press("Escape");
  await hers.page.keyboard.press("0");
  await hers.page.keyboard.press("0");
  await eventually(
    async () => {
      await hers.run(3);
      await hers.says(3, /ran in|failed|runtime lost/);
      return hers.cell(3).innerText();
    },
    (text) => text.includes("NameError"),
    "the new runtime has no variable x",
  );
});

test("a program's question is answered in its cell", async () => {
  const id = await notebook("name = input('Who are you? ')\nprint('Hello,', name)");
  const ada = await user();
  const hers = await open(ada, id);
  await hers.run(1);
  const field = hers.cell(1).getByRole("textbox", { name: /who are you/i });
  await field.waitFor();
  await field.fill("the reader");
  await field.press("Enter");
  await hers.shows(1, "Hello, the reader");
  await hers.says(1, /ran in/);
  await hers.shows(1, "Who are you?");
});

test("a cell is moved by dragging, and Escape cancels a drag", async () => {
  const id = await notebook("one", "two", "three");
  const ada = await user();
  const hers = await open(ada, id);
  const order = async (): Promise<string> => (await hers.sources()).join(" ");
  const pick = async (n: number): Promise<{ readonly x: number; readonly y: number }> => {
    await hers.cell(n).hover();
    const box = await hers
      .cell(n)
      .getByRole("button", { name: `Move cell ${n}` })
      .boundingBox();
    const at = { x: (box?.x ?? 0) + 4, y: (box?.y ?? 0) + 8 };
    await hers.page.mouse.move(at.x, at.y);
    await hers.page.mouse.down();
    return at;
  };
  const below = async (n: number): Promise<number> => {
    const box = await hers.cell(n).boundingBox();
    return (box?.y ?? 0) + (box?.height ?? 0) - 4;
  };
  const from = await pick(1);
  await hers.page.mouse.move(from.x, await below(3), { steps: 8 });
  await hers.page.keyboard.press("Escape");
  await hers.page.mouse.up();
  await expect.poll(order).toBe("one two three");
  const again = await pick(1);
  await hers.page.mouse.move(again.x, await below(2), { steps: 8 });
  await hers.page.mouse.up();
  await eventually(order, (text) => text === "two one three", "the cell is between the others");
  await hers.page.keyboard.press("Escape");
  await hers.page.keyboard.press("z");
  await eventually(order, (text) => text === "one two three", "the move is undone");
});

test("a location in a traceback leads to the line in its cell", async () => {
  const id = await notebook("def divide(n):\n    one = 1\n    return one / n", "divide(0)");
  const ada = await user();
  const hers = await open(ada, id);
  await hers.run(1);
  await hers.says(1, /ran in/);
  await hers.run(2);
  await hers.says(2, /failed/);
  await hers
    .cell(2)
    .getByRole("button", { name: /In ?\[1\], line 3/ })
    .click();
  const line = (): Promise<string> => hers.page.evaluate(() => document.getSelection()?.anchorNode?.parentElement?.closest(".cm-line")?.textContent ?? "");
  await eventually(line, (text) => text === "    return one / n", "the caret is in the line");
  await eventually(
    () => hers.editor(1).evaluate((editor) => editor.contains(document.activeElement)),
    (yes) => yes,
    "the editor has the focus",
  );
});

test("undo of a deletion is offered until the cell is back or the user leaves the notebook", async () => {
  const id = await notebook("one", "two");
  const [hers, his] = [await open(await user(), id), await open(await user(), id)];
  const offer = hers.page.getByRole("button", { name: "Undo" });
  const remove = async (): Promise<void> => {
    await his.cell(2).hover();
    await his.cell(2).getByRole("button", { name: "Delete cell" }).click();
    await eventually(
      () => hers.count(),
      (count) => count === 1,
      "the cell is gone",
    );
  };
  await hers.editor(2).click();
  await hers.page.keyboard.press("Escape");
  await remove();
  await offer.waitFor();
  await his.page.getByRole("button", { name: "Undo" }).click();
  await eventually(
    () => hers.count(),
    (count) => count === 2,
    "the cell is back",
  );
  await offer.waitFor({ state: "detached" });
  await hers.editor(2).click();
  await hers.page.keyboard.press("Escape");
  await remove();
  await offer.waitFor();
  await hers.page
    .getByRole("link", { name: /notebooks/i })
    .first()
    .click();
  await hers.page.getByRole("heading", { name: "Notebooks" }).waitFor();
  await offer.waitFor({ state: "detached" });
});
