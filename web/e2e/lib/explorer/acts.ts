import type { NotebookPage } from "../notebook.js";
import type { Server } from "../server.js";
import { at } from "../typist.js";

/** Below returns a whole number from 0 up to, but not, its argument. */
export type Below = (end: number) => number;

/** Returns numbers that a seed decides (mulberry32). */
export function numbers(seed: number): Below {
  let state = seed >>> 0;
  return (end) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * end);
  };
}

/** Act is what the other person may do to a notebook, in command mode on a cell or in its text. */
export interface Act {
  readonly name: string;
  /** It takes back what its person did last, which is what is typed when that is done in another window. */
  readonly undoes?: boolean;
  readonly does: (his: NotebookPage, cell: number, server: Server) => Promise<void>;
}

function keys(name: string, ...presses: readonly string[]): Act {
  return { name, does: (his, cell) => press(his, cell, presses) };
}

async function press(his: NotebookPage, cell: number, presses: readonly string[]): Promise<void> {
  await at(his.page, cell);
  for (const key of presses) await his.page.keyboard.press(key);
}

/** Puts the other person into the text of a cell, and back again after what is done there. */
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
      const id =
        (await his.page
          .locator("[data-cell]")
          .nth(cell - 1)
          .getAttribute("data-cell")) ?? "";
      process.env["VISUAL"] = "sed -i 1i#his"; // a program that writes the whole file, as an editor does
      await server.quire("edit", idOf(his), id).catch(isGone);
    },
  },
  {
    name: "restore a deleted cell by the command line",
    does: async (his, cell, server) => {
      const id =
        (await his.page
          .locator("[data-cell]")
          .nth(cell - 1)
          .getAttribute("data-cell")) ?? "";
      await server.quire("rm", idOf(his), id).catch(isGone);
      await server.quire("restore", idOf(his), id).catch(isGone);
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
    does: async (his, _, server) => void (await server.quire("clear", idOf(his))),
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
    does: async (_his, _cell, server) => {
      const file = { nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [] };
      await server.fetch("/api/notebooks/import?format=ipynb&title=Other", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(file),
      });
    },
  },
];

function idOf({ page }: NotebookPage): string {
  return new URL(page.url()).pathname.split("/")[2] ?? "";
}

/** Lets it pass that a cell is no more of which the page has still to be told. */
function isGone(reason: unknown): void {
  if (!/delete|no such cell|no cell/i.test(String(reason))) throw reason;
}

/** Chooses a row of a cell's menu, if it has such a row. */
async function choose(his: NotebookPage, cell: number, row: RegExp): Promise<void> {
  await press(his, cell, ["Shift+F10"]);
  await his.page.getByRole("menu").waitFor();
  const found = his.page.getByRole("menuitem", { name: row }).first();
  if ((await found.count()) > 0) await found.click();
  else await his.page.keyboard.press("Escape");
}
