import { importCells } from "../ipynb.js";
import type { NotebookPage } from "../notebook.js";
import type { Server } from "../server.js";
import { at } from "../typist.js";

/** Act is a change of a notebook during Ada's typing: by Bob, or by Ada in a second window. */
export interface Act {
  readonly name: string;
  /** Whether it undoes the last change of its user, which in Ada's second window would be her typing. */
  readonly undoes?: boolean;
  readonly does: (his: NotebookPage, cell: number, server: Server) => Promise<void>;
}

export const acts: readonly Act[] = [
  keys("insert above", "a"),
  keys("insert below", "b"),
  keys("insert many above", "a", "a", "a", "a"),
  keys("delete", "d", "d"),
  keys("cut and paste below", "x", "v"),
  keys("duplicate", "c", "v"),
  keys("move up", "Alt+ArrowUp"),
  keys("move down", "Alt+ArrowDown"),
  keys("move to the top", "Alt+ArrowUp", "Alt+ArrowUp", "Alt+ArrowUp", "Alt+ArrowUp"),
  keys("merge with the next", "Shift+M"),
  keys("make it Markdown", "m"),
  keys("make it code", "y"),
  keys("make it raw", "r"),
  keys("make it a heading", "2"),
  { ...keys("undo", "z"), undoes: true },
  { ...keys("undo and redo", "z", "Shift+Z"), undoes: true },
  { ...keys("delete and undo", "d", "d", "z"), undoes: true },
  keys("fold the outputs", "o"),
  keys("run", "Control+Enter"),
  keys("run and interrupt", "Control+Enter", "i", "i"),
  keys("restart", "0", "0"),
  keys("interrupt", "i", "i"),
  inText("split at the end of line 1", "Home", async ({ page }) => {
    await page.keyboard.press("End");
    await page.keyboard.press("Control+Shift+Minus");
  }),
  inText("split at line 2", "Home", async ({ page }) => {
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Home");
    await page.keyboard.press("Control+Shift+Minus");
  }),
  inText("type at the start", "Home", ({ page }) => page.keyboard.type("his ")),
  inText("type lines at the start", "Home", async ({ page }) => {
    await page.keyboard.type("his line");
    await page.keyboard.press("Enter");
  }),
  {
    ...inText("type a line and undo it", "Home", async ({ page }) => {
      await page.keyboard.type("his");
      await page.keyboard.press("Control+z");
    }),
    undoes: true,
  },
  inText("compose at the start", "Home", async ({ page }) => {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Input.imeSetComposition", { text: "か", selectionStart: 1, selectionEnd: 1 });
    await devtools.send("Input.insertText", { text: "彼" });
    await devtools.detach();
  }),
  {
    name: "edit the text as a file by the command line",
    does: async (his, cell, server) => {
      const id = await cellID(his, cell);
      const env = { VISUAL: "sed -i 1i#his" }; // it writes the whole file, as an editor does
      await server.quireIn(env, "edit", notebookID(his), id).catch(ignoreGone);
    },
  },
  {
    name: "restore a deleted cell by the command line",
    does: async (his, cell, server) => {
      const id = await cellID(his, cell);
      await server.quire("rm", notebookID(his), id).catch(ignoreGone);
      await server.quire("restore", notebookID(his), id).catch(ignoreGone);
    },
  },
  {
    name: "rename the notebook",
    does: async ({ page }) => {
      await page.getByTitle("Rename").click();
      await page.keyboard.type("His title");
      await page.keyboard.press("Enter");
    },
  },
  {
    name: "clear the outputs",
    does: async (his, _, server) => void (await server.quire("clear", notebookID(his))),
  },
  {
    name: "hide the code for everyone",
    does: async (his, cell) => {
      await choose(his, cell, /^(Hide|Show) code/);
      await choose(his, cell, /to everyone/);
    },
  },
  { name: "change the language", does: (his, cell) => choose(his, cell, /^Change to (?!code|Markdown|raw)/) },
  {
    name: "import a notebook",
    does: async (_his, _cell, server) => void (await importCells(server, [], { title: "Other" })),
  },
];

function keys(name: string, ...presses: readonly string[]): Act {
  return { name, does: (his, cell) => press(his, cell, presses) };
}

async function press(his: NotebookPage, cell: number, presses: readonly string[]): Promise<void> {
  await at(his.page, cell);
  for (const key of presses) await his.page.keyboard.press(key);
}

/** Makes an act inside the editor of a cell. */
function inText(name: string, place: "Home" | "End", does: (his: NotebookPage) => Promise<void>): Act {
  return {
    name,
    does: async (his, cell) => {
      await press(his, cell, ["Enter", `Control+${place}`]);
      await does(his);
      await his.page.keyboard.press("Escape");
    },
  };
}

function notebookID({ page }: NotebookPage): string {
  return new URL(page.url()).pathname.split("/")[2] ?? "";
}

async function cellID({ page }: NotebookPage, cell: number): Promise<string> {
  const found = page.locator("[data-cell]").nth(cell - 1);
  return (await found.getAttribute("data-cell")) ?? "";
}

/** Ignores the error of a cell that is deleted while the page still shows it. */
function ignoreGone(reason: unknown): void {
  if (!/delete|no such cell|no cell/i.test(String(reason))) throw reason;
}

/** Chooses an item of a cell's menu, if it has that item. */
async function choose(his: NotebookPage, cell: number, row: RegExp): Promise<void> {
  await press(his, cell, ["Shift+F10"]);
  await his.page.getByRole("menu").waitFor();
  const found = his.page.getByRole("menuitem", { name: row }).first();
  if ((await found.count()) > 0) await found.click();
  else await his.page.keyboard.press("Escape");
}
