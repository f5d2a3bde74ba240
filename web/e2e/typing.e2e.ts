import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { eventually, type NotebookPage } from "./lib/notebook.js";
import { pair } from "./lib/pair.js";
import { at, still, type, typed, watch, words } from "./lib/typist.js";

const both = pair();

/** Opens a notebook for both users, and puts Ada's caret at the end of a cell. */
async function two(cell: number, ...sources: string[]): Promise<{ readonly id: string; readonly hers: NotebookPage; readonly his: NotebookPage }> {
  const { hers, his } = both();
  const id = await both().open(sources.map((source) => ({ source })));
  if (cell > 0) {
    await hers.editor(cell).click();
    await hers.page.keyboard.press("Control+End");
    await watch(hers.page);
  }
  return { id, hers, his };
}

/**
 * Types on Ada's page during an act, and returns the text of her editor afterwards. With a wanted text it first waits for
 * that, since the effect of the act may not have arrived yet.
 */
async function typingWhile(hers: Page, act: () => Promise<void>, wanted?: string): Promise<string> {
  const typing = type(hers, words);
  await act();
  await typing;
  if (wanted !== undefined)
    await eventually(
      () => typed(hers),
      (text) => text === wanted,
      `the text is ${JSON.stringify(wanted)}`,
    );
  return typed(hers);
}

/** Presses keys on a cell in command mode. */
async function keys(his: NotebookPage, cell: number, ...presses: string[]): Promise<void> {
  await at(his.page, cell);
  for (const key of presses) await his.page.keyboard.press(key);
}

const five = ["one", "two", "three ", "four", "five"] as const;

test.each<readonly [string, string[], number]>([
  ["a cell above is deleted", ["d", "d"], 1],
  ["a cell below is deleted", ["d", "d"], 4],
  ["cells are inserted above", ["a", "a", "a"], 1],
  ["the cell is moved up", ["Alt+ArrowUp", "Alt+ArrowUp"], 3],
  ["the cell is moved down", ["Alt+ArrowDown", "Alt+ArrowDown"], 3],
  ["a cell is moved from below to above", ["Alt+ArrowUp", "Alt+ArrowUp", "Alt+ArrowUp"], 5],
  ["the cell becomes Markdown", ["m"], 3],
  ["the cell becomes raw text", ["r"], 3],
  ["the cell below is merged into it", ["Shift+M"], 3],
])("keys stay text, and the caret's line in place, when %s", async (_, presses, cell) => {
  const { id, hers, his } = await two(3, ...five);
  const text = await typingWhile(hers.page, () => keys(his, cell, ...presses));
  expect(text).toContain(`three ${words}`);
  await still(hers.page);
  await hers.saved();
  await eventually(
    () => both().server.sources(id),
    (shown) => shown.includes(`three ${words}`),
    "the log has it",
  );
});

test("a cell deleted during typing stays until it loses the focus, and can be restored with the text", async () => {
  const { id, hers, his } = await two(3, ...five);
  expect(await typingWhile(hers.page, () => keys(his, 3, "d", "d"))).toBe(`three ${words}`);
  await still(hers.page);
  await eventually(
    () => his.count(),
    (n) => n === 4,
    "Bob's page has removed the cell",
  );
  await hers.page.getByRole("group", { name: "Deleted cell" }).waitFor();
  await hers.page.getByText("This cell was deleted.").waitFor();
  await hers.page.getByRole("button", { name: "Restore" }).click();
  await eventually(
    () => his.source(3),
    (text) => text === `three ${words}`,
    "Bob's page shows the restored cell",
  );
  expect(await typed(hers.page)).toBe(`three ${words}`);
  await hers.saved();
  await eventually(
    () => both().server.sources(id),
    (shown) => shown.includes(`three ${words}`),
    "the log has it",
  );
});

test("a cell deleted during typing can be restored after Escape has left it", async () => {
  const { hers, his } = await two(3, ...five);
  await typingWhile(hers.page, () => keys(his, 3, "d", "d"));
  await hers.page.getByRole("group", { name: "Deleted cell" }).waitFor();
  await hers.page.keyboard.press("Escape");
  await eventually(
    () => hers.page.getByRole("group", { name: "Deleted cell" }).count(),
    (n) => n === 0,
    "it is gone",
  );
  await hers.page.getByRole("button", { name: "Restore" }).click();
  await eventually(
    () => hers.source(3),
    (text) => text === `three ${words}`,
    "it is back",
  );
});

test("the space that replaces deleted cells above is removed once it is scrolled out of sight", async () => {
  const long = Array.from({ length: 20 }, (_, i) => `# ${i}`).join("\n");
  const { hers, his } = await two(3, long, long, "three ", long, long);
  const top = (): Promise<number> => hers.cell(1).evaluate((cell) => cell.getBoundingClientRect().top);
  await typingWhile(hers.page, async () => {
    await keys(his, 1, "d", "d");
    await eventually(
      () => his.count(),
      (n) => n === 4,
      "the first cell is deleted",
    );
    await keys(his, 1, "d", "d");
  });
  await eventually(
    () => hers.count(),
    (n) => n === 3,
    "the cells above are deleted",
  );
  await still(hers.page);
  expect(await top(), "there is room above").toBeGreaterThan(300);
  await hers.page.mouse.move(640, 500);
  const room = (): Promise<number> => hers.page.locator('main [style*="margin-top"]').count();
  expect(await room()).toBe(1);
  await hers.page.mouse.wheel(0, 2000);
  await eventually(room, (n) => n === 0, "the space is removed after scrolling");
  await hers.page.mouse.wheel(0, -4000);
  await eventually(
    () => hers.page.locator("main").evaluate((view) => view.scrollTop),
    (at) => at === 0,
    "the view is at its top",
  );
  await eventually(top, (at) => at > 0 && at < 120, "the first cell is at the top");
});

test("typing continues when all cells are deleted", async () => {
  const { hers, his } = await two(1, "only ");
  expect(await typingWhile(hers.page, () => keys(his, 1, "d", "d"))).toBe(`only ${words}`);
  await still(hers.page);
});

test.each([1, 2])("the caret goes with its text when the cell is split above it at line %d", async (line) => {
  const { id, hers, his } = await two(2, "first", "a\nb\nc ", "last");
  const act = async (): Promise<void> => {
    await his.editor(2).click();
    await his.page.keyboard.press("Control+Home");
    for (let i = 0; i < line; i++) await his.page.keyboard.press("ArrowDown");
    await his.page.keyboard.press("Control+Shift+Minus");
  };
  await typingWhile(hers.page, act, `${["", "b\n", ""][line]}c ${words}`);
  await still(hers.page);
  await eventually(
    () => both().server.sources(id),
    (shown) => shown.includes(`c ${words}`),
    "the log has it",
  );
  await expect.poll(() => hers.source(2)).toBe(["", "a", "a\nb"][line]);
});

test("the caret goes with its text when the cell is merged into the one above, and when that is undone", async () => {
  const { hers, his } = await two(3, ...five);
  await typingWhile(hers.page, () => keys(his, 2, "Shift+M"), `two\n\nthree ${words}`);
  await still(hers.page);
  await hers.saved();
});

test("typing continues when another user hides the code for everyone", async () => {
  const { hers, his } = await two(3, ...five);
  const text = await typingWhile(hers.page, async () => {
    await at(his.page, 3);
    await his.cell(3).getByRole("button", { name: "More for this cell" }).click();
    await his.page
      .getByRole("menuitem", { name: /source|code/i })
      .first()
      .click();
    await at(his.page, 3);
    await his.cell(3).getByRole("button", { name: "More for this cell" }).click();
    await his.page.getByRole("menuitem", { name: /everyone|for all/i }).click();
  });
  expect(text).toBe(`three ${words}`);
  await still(hers.page);
});

test("the caret stays in its text after an undo, while another user types", async () => {
  const { hers, his } = await two(2, "one", "two\nlast ");
  await type(hers.page, "x");
  await hers.page.keyboard.press("Control+z");
  await his.editor(2).click();
  await his.page.keyboard.press("Control+Home");
  await typingWhile(hers.page, () => type(his.page, "his"), `histwo\nlast ${words}`);
});

test("an unchanged title field does not revert the title of another user", async () => {
  const { hers, his } = await two(0, "one");
  await hers.page.getByTitle("Rename").click();
  await his.page.getByTitle("Rename").click();
  await his.page.keyboard.type("His title");
  await his.page.keyboard.press("Enter");
  await his.saved();
  await hers.page.keyboard.press("Enter");
  await eventually(
    () => hers.page.getByRole("heading", { level: 1 }).innerText(),
    (text) => text === "His title",
    "Ada's page shows Bob's title",
  );
  await expect.poll(async () => (await both().server.notebooks()).map(({ title }) => title)).toContain("His title");
});

test("keys stay in the field of a question that an interrupt ends", async () => {
  const { hers, his } = await two(0, "name = input('Who? ')", "2", "3");
  await at(hers.page, 1);
  await hers.page.keyboard.press("Control+Enter");
  await hers.page.getByRole("textbox", { name: "Who?" }).waitFor();
  await eventually(
    () => hers.page.evaluate(() => document.activeElement?.tagName),
    (tag) => tag === "INPUT",
    "the field has the focus",
  );
  await watch(hers.page);
  expect(await typingWhile(hers.page, () => keys(his, 2, "i", "i"))).toBe(words);
  await still(hers.page);
  await hers.page.getByText("The program no longer waits for this answer.").waitFor();
  expect(await hers.count()).toBe(3);
});

test("a question is answered after Shift+Enter, and does not take the caret from another cell", async () => {
  const { hers } = await two(1, "name = input('Who? ')", "2 ", "3");
  await hers.page.keyboard.press("Shift+Enter");
  await eventually(
    () => hers.page.evaluate(() => document.activeElement?.tagName),
    (tag) => tag === "INPUT",
    "the field has the focus",
  );
  await hers.page.keyboard.type("Ada");
  await hers.page.keyboard.press("Enter");
  await hers.says(1, /ran/);
  await hers.editor(1).click();
  await hers.page.keyboard.press("Shift+Enter");
  await hers.editor(2).click();
  await hers.page.keyboard.press("Control+End");
  await type(hers.page, words);
  await hers.page.getByRole("textbox", { name: "Who?" }).waitFor();
  expect(await typed(hers.page)).toBe(`2 ${words}`);
});

test("keys stay in a field of an output while cells move", async () => {
  const { hers, his } = await two(0, "1", "from IPython.display import HTML\nHTML('<input id=f><p>below</p>')", "3", "4");
  await hers.run(2);
  const field = hers.page.frameLocator("iframe").locator("#f");
  await field.click();
  await watch(hers.page);
  await typingWhile(hers.page, async () => {
    await keys(his, 4, "Alt+ArrowUp", "Alt+ArrowUp", "Alt+ArrowUp");
    await keys(his, 3, "Alt+ArrowUp");
    await keys(his, 1, "d", "d");
  });
  expect(await field.inputValue()).toBe(words);
  await still(hers.page);
});

test.each(["title", "cell"])("the caret's line stays in place in a %s when the server stops and answers again", async (place) => {
  const { hers } = await two(place === "cell" ? 1 : 0, "one ", "two");
  if (place === "title") {
    await hers.page.getByTitle("Rename").click();
    await watch(hers.page);
  }
  const { server } = both();
  await typingWhile(hers.page, async () => {
    await server.kill();
    await hers.page
      .getByText(/server does not answer/i)
      .first()
      .waitFor();
    await server.start();
  });
  await eventually(
    () => hers.page.getByText(/server does not answer/i).count(),
    (n) => n === 0,
    "the notice is gone",
  );
  expect(await typed(hers.page)).toContain(words);
  await still(hers.page);
});

test("the caret's line stays in place when outputs grow above", async () => {
  const { hers, his } = await two(2, "for i in range(40): print('row', i)", "two ");
  expect(await typingWhile(hers.page, () => his.run(1))).toBe(`two ${words}`);
  await hers.shows(1, "row 39");
  await still(hers.page);
});

test("the caret's line stays in place when lines above it change in a cell taller than the window", async () => {
  const { id, hers, his } = await two(1, `${Array.from({ length: 80 }, (_, i) => `# ${i}`).join("\n")}\n# `, "two");
  const act = async (): Promise<void> => {
    await his.editor(1).click();
    await his.page.keyboard.press("Control+Home");
    await his.page.keyboard.type("one\ntwo\nthree\n");
    for (let i = 0; i < 5; i++) await his.page.keyboard.press("Control+Shift+K");
  };
  const height = (): Promise<number> => hers.cell(1).evaluate((cell) => cell.getBoundingClientRect().height);
  const before = await height();
  await typingWhile(hers.page, act);
  await eventually(
    () => both().server.sources(id),
    (shown) => shown.startsWith("one\ntwo\nthree\n# 5\n"),
    "the log has Bob's changes",
  );
  await eventually(height, (now) => now < before - 30, "Ada's page shows Bob's changes");
  await hers.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await still(hers.page);
});

test("a redone deletion is not reported as that of another user", async () => {
  const { hers } = await two(0, ...five);
  await keys(hers, 3, "d", "d", "z");
  await eventually(
    () => hers.count(),
    (n) => n === 5,
    "it is back",
  );
  await hers.page.keyboard.press("Shift+Z");
  await eventually(
    () => hers.count(),
    (n) => n === 4,
    "the deletion is redone",
  );
  expect(await hers.page.getByText("The cell you were in was deleted.").count()).toBe(0);
});

const framed = "<input id=f><p>below</p>";
const gone = "This output was cleared or replaced. It stays until you leave it.";

test.each<readonly [string, (his: NotebookPage, id: string) => Promise<unknown>]>([
  ["clears the outputs", (_, id) => both().server.quire("clear", id)],
  ["runs the cell again", (his) => keys(his, 2, "Control+Enter")],
])("a focused frame keeps its text until it loses the focus, when another user %s", async (_, act) => {
  const { id, hers, his } = await framedCell();
  const field = hers.page.frameLocator("iframe").first().locator("#f");
  await field.click();
  await watch(hers.page);
  const typing = type(hers.page, words);
  await act(his, id);
  await hers.page.getByText(gone).waitFor();
  await typing;
  await type(hers.page, " dd");
  await eventually(
    () => field.inputValue(),
    (text) => text === `${words} dd`,
    "the frame has the whole text",
  );
  await still(hers.page);
  expect(await hers.count()).toBe(3);
  await hers.editor(3).click();
  await hers.page.getByText(gone).waitFor({ state: "detached" });
});

test("a focused frame keeps its text when another user makes the cell Markdown", async () => {
  const { hers, his } = await framedCell();
  const field = hers.page.frameLocator("iframe").first().locator("#f");
  await field.click();
  await watch(hers.page);
  const typing = type(hers.page, words);
  await keys(his, 2, "m");
  await eventually(
    () => hers.cell(2).getAttribute("data-kind"),
    (kind) => kind === "markdown",
    "it is Markdown",
  );
  await typing;
  await type(hers.page, " dd");
  await eventually(
    () => field.inputValue(),
    (text) => text === `${words} dd`,
    "the frame has the whole text",
  );
  await still(hers.page);
});

/** Opens a notebook whose second cell has an output with an input field. */
async function framedCell(): Promise<{ readonly id: string; readonly hers: NotebookPage; readonly his: NotebookPage }> {
  const { hers, his } = both();
  const id = await both().open([{ source: "# 1" }, { source: "x = 1", html: framed }, { source: "# 3" }]);
  return { id, hers, his };
}

/** Splits the second cell at the start of a line, counted from 1. */
async function splitAt(his: NotebookPage, line: number): Promise<void> {
  await his.editor(2).click();
  await his.page.keyboard.press("Control+Home");
  for (let i = 1; i < line; i++) await his.page.keyboard.press("ArrowDown");
  await his.page.keyboard.press("Control+Shift+Minus");
}

/** Merges the two cells below the first into it, one after the other. */
async function mergeTwice(his: NotebookPage): Promise<void> {
  await keys(his, 1, "Shift+M");
  await eventually(
    () => his.count(),
    (n) => n === 2,
    "the first merge is done",
  );
  await keys(his, 1, "Shift+M");
}

test.each<
  readonly [
    string,
    {
      readonly up?: number;
      readonly count: number;
      readonly does: (his: NotebookPage) => Promise<void>;
      readonly text: string;
      readonly others: readonly string[];
    },
  ]
>([
  ["the cell is split above it", { count: 4, does: (his) => splitAt(his, 3), text: "c 日本", others: ["first", "a\nb", "last"] }],
  ["the cell is split below it", { up: 1, count: 4, does: (his) => splitAt(his, 3), text: "a\nb日本", others: ["first", "c ", "last"] }],
  [
    "the cell is split above it and below it",
    { up: 1, count: 5, does: async (his) => (await splitAt(his, 3), await splitAt(his, 2)), text: "b日本", others: ["first", "a", "c ", "last"] },
  ],
  ["the cell is merged into the one above", { count: 2, does: (his) => keys(his, 1, "Shift+M"), text: "first\n\na\nb\nc 日本", others: ["last"] }],
  ["the cell below is merged into it", { count: 2, does: (his) => keys(his, 2, "Shift+M"), text: "a\nb\nc 日本\n\nlast", others: ["first"] }],
  ["it and the cell below are merged into the one above", { count: 1, does: mergeTwice, text: "first\n\na\nb\nc 日本\n\nlast", others: [] }],
])("a composition is whole, and the caret behind it, when %s", async (_, { up = 0, count, does, text, others }) => {
  const { id, hers, his } = await two(2, "first", "a\nb\nc ", "last");
  for (let i = 0; i < up; i++) await hers.page.keyboard.press("ArrowUp");
  if (up > 0) await hers.page.keyboard.press("End");
  await watch(hers.page);
  const devtools = await hers.page.context().newCDPSession(hers.page);
  await devtools.send("Input.imeSetComposition", { text: "に", selectionStart: 1, selectionEnd: 1 });
  await eventually(
    () => his.source(2),
    (source) => source.includes("に"),
    "Bob's page shows the composition",
  );
  await does(his);
  await eventually(
    () => hers.count(),
    (n) => n === count,
    "Ada's page shows Bob's changes",
  );
  await devtools.send("Input.imeSetComposition", { text: "にほ", selectionStart: 2, selectionEnd: 2 });
  await devtools.send("Input.insertText", { text: "日本" });
  await eventually(
    () => typed(hers.page),
    (now) => now === text,
    `the text with the caret is ${JSON.stringify(text)}`,
  );
  await type(hers.page, words);
  const whole = text.replace("日本", `日本${words}`);
  await eventually(
    () => typed(hers.page),
    (now) => now === whole,
    "typed text follows the composition",
  );
  await still(hers.page);
  for (const side of [hers, his])
    await eventually(
      () => side.sources(),
      (now) => [...now].sort().join("|") === [whole, ...others].sort().join("|"),
      "both pages have each text once",
    );
  await hers.saved();
  await eventually(
    () => both().server.sources(id),
    (shown) => shown.includes(`日本${words}`),
    "the log has it",
  );
});

test.each(["typed", "composed"])("the caret goes with its %s text into a rendered Markdown cell above", async (how) => {
  const { hers, his } = both();
  await both().open([{ source: "# Heading\n\nand a text", kind: "markdown" }, { source: "two " }, { source: "three" }]);
  await hers.editor(2).click();
  await hers.page.keyboard.press("Control+End");
  await watch(hers.page);
  const devtools = await hers.page.context().newCDPSession(hers.page);
  const before = "# Heading\n\nand a text\n\ntwo ";
  if (how === "composed") {
    await devtools.send("Input.imeSetComposition", { text: "に", selectionStart: 1, selectionEnd: 1 });
    await keys(his, 1, "Shift+M");
    await eventually(
      () => hers.count(),
      (n) => n === 2,
      "the merge has arrived",
    );
    await devtools.send("Input.insertText", { text: "日本" });
    await eventually(
      () => typed(hers.page),
      (text) => text === `${before}日本`,
      "it is there",
    );
  } else await typingWhile(hers.page, () => keys(his, 1, "Shift+M"), `${before}${words}`);
  await still(hers.page);
});

test("consecutive compositions go with their text when the cell is split between them", async () => {
  const { hers, his } = await two(2, "first", "a\nb\nc ", "last");
  const devtools = await hers.page.context().newCDPSession(hers.page);
  const syllables = ["ㅎ", "하", "한", "ㄱ", "그", "글", "ㅇ", "이", "있", "ㄷ", "다"];
  const compose = async (): Promise<void> => {
    for (const [i, syllable] of syllables.entries()) {
      await devtools.send("Input.imeSetComposition", { text: syllable, selectionStart: 1, selectionEnd: 1 });
      if (["한", "글", "있", "다"].includes(syllable)) await devtools.send("Input.insertText", { text: syllable });
      if (i === 4) await splitAt(his, 3);
    }
  };
  await compose();
  await eventually(
    () => hers.count(),
    (n) => n === 4,
    "the split has arrived",
  );
  await eventually(
    () => typed(hers.page),
    (text) => text === "c 한글있다",
    "the text with the caret is whole",
  );
  await type(hers.page, words);
  await eventually(
    () => hers.sources(),
    (now) => now.join("|") === `first|a\nb|c 한글있다${words}|last`,
    "each text is shown once",
  );
});
