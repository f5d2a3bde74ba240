import type { Page } from "playwright-core";
import { expect } from "vitest";
import { type Act, acts, type Below, numbers } from "./acts.js";
import { eventually, type NotebookPage } from "../notebook.js";
import type { Cell, Pair } from "../pair.js";
import { at, seen, type, typed, watch } from "../typist.js";

/** Where the first person types. */
const places = ["source", "Markdown", "title", "question", "frame", "composition", "search"] as const;
type Place = (typeof places)[number];

/** Words of which every letter would be a command. */
const letters = ["dd", "aa", "bb", "xx", "00", "ii", "m", "r", "y", "z", "c", "v", "1", "2", "3", "4", "o", "l", "dx", "ab"];

/** Scenario is what a seed decides: where one types what, and what another does meanwhile. */
export interface Scenario {
  readonly seed: number;
  readonly place: Place;
  readonly cells: readonly Cell[];
  /** The cell that is typed in, counted from 1. */
  readonly cell: number;
  readonly text: string;
  /** The other is herself, in a second window. */
  readonly herself: boolean;
  readonly steps: readonly Step[];
}

interface Step {
  readonly act: Act | "cut the network" | "kill the server";
  readonly cell: Below;
  readonly wait: number;
}

/** Returns the scenario of a seed. */
export function scenario(seed: number): Scenario {
  const below = numbers(seed);
  const place = places[below(10)] ?? "source";
  const count = 2 + below(5);
  const cell = 1 + below(count);
  const cells = Array.from({ length: count }, (_, i) => (i + 1 === cell ? own(place, below) : other(below)));
  const text = Array.from({ length: 14 }, () => letters[below(letters.length)] ?? "").join(" ");
  const herself = below(6) === 0;
  const possible = acts.filter((act) => !(herself && act.undoes));
  const steps = Array.from({ length: 2 + below(4) }, (): Step => {
    const kind = below(40);
    const act = kind === 0 ? "kill the server" : kind < 3 ? "cut the network" : (possible[below(possible.length)] ?? "cut the network");
    return { act, cell: numbers(below(1 << 30)), wait: below(150) };
  });
  return { seed, place, cells, cell, text, herself, steps };
}

function own(place: Place, below: Below): Cell {
  const lines = Array.from({ length: 1 + below(4) }, (_, i) => `# line ${i}`).join("\n");
  if (place === "search") return { source: "for i in range(30): print('row', i)" };
  if (place === "question") return { source: "answer = input('Who? ')" };
  if (place === "frame") return { source: lines, html: "<input id=field><p>below</p>" };
  return { source: `${lines}\n# `, ...(place === "Markdown" && { kind: "markdown" as const }) };
}

function other(below: Below): Cell {
  const kind = below(5);
  if (kind === 0) return { source: "## A heading\n\nand a text", kind: "markdown" };
  if (kind === 1) return { source: "for i in range(30): print('row', i)" };
  if (kind === 2) return { source: "import time\nfor i in range(20):\n    print(i)\n    time.sleep(0.02)" };
  return { source: Array.from({ length: 1 + below(6) }, (_, i) => `# other ${i}`).join("\n") };
}

/** Plays a scenario, and fails if what the other did got into the way of the one who types. */
export async function play(pair: Pair, { place, cells, cell, text, herself, steps }: Scenario): Promise<void> {
  const id = await pair.open(cells);
  const { hers } = pair;
  const other = herself ? await pair.openSecond() : pair.his;
  await hers.page.bringToFront();
  await enter(hers.page, place, cell);
  await watch(hers.page);
  const typing = place === "composition" ? compose(hers.page, text) : type(hers.page, text, 20);
  try {
    for (const step of steps) await act(pair, other, step);
  } finally {
    await typing;
    await pair.closeSecond();
  }
  const { moved, lost, frames } = await seen(hers.page);
  const written = await writtenIn(hers, place);
  expect(lost, "frames without the focus").toBe(0);
  expect(frames, "frames in which her line was seen").toBeGreaterThan(1);
  expect(written, "what is written where she types").toContain(text);
  expect(moved, "pixels that her line moved").toBeLessThanOrEqual(20);
  await hers.page.keyboard.press(place === "title" ? "Enter" : place === "search" || place === "frame" ? "Escape" : "Shift"); // an old output goes when one leaves it
  await same(pair, id);
  if (place === "source" || place === "Markdown" || place === "composition")
    expect(await sources(hers), "the sources").toEqual(expect.arrayContaining([expect.stringContaining(text)]));
}

/** Puts the first person where she types. */
async function enter(page: Page, place: Place, cell: number): Promise<void> {
  await at(page, cell);
  if (place === "title") await page.getByTitle("Rename").click();
  else if (place === "search") {
    await page.keyboard.press("Control+Enter");
    const found = page.getByRole("button", { name: "Find in output" }).first();
    await found.waitFor({ state: "attached" });
    await found.focus();
    await page.keyboard.press("Enter");
    await eventually(
      () => page.evaluate(() => document.activeElement?.tagName),
      (tag) => tag === "INPUT",
      "the search has the focus",
    );
  } else if (place === "frame") await page.frameLocator("iframe").first().locator("#field").click();
  else if (place === "question") {
    await page.keyboard.press("Control+Enter");
    await eventually(
      () => page.evaluate(() => document.activeElement?.tagName),
      (tag) => tag === "INPUT",
      "the question has the focus",
    );
  } else {
    await page.keyboard.press("Enter");
    await page.keyboard.press("Control+End");
  }
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** Types a text as an input method does: each word is composed of its letters, and then put in. */
async function compose(page: Page, text: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  for (const word of text.split(/(?= )/)) {
    for (let length = 1; length <= word.length; length++) {
      await devtools.send("Input.imeSetComposition", { text: `${word.slice(0, length)}…`, selectionStart: length, selectionEnd: length });
      await page.waitForTimeout(20);
    }
    await devtools.send("Input.insertText", { text: word });
  }
  await devtools.detach();
}

async function act({ server, proxy }: Pair, his: NotebookPage, { act, cell, wait }: Step): Promise<void> {
  await new Promise((done) => setTimeout(done, wait));
  if (act === "cut the network") {
    proxy.disconnect();
    setTimeout(() => proxy.reconnect(), 300);
  } else if (act === "kill the server") {
    await server.kill();
    await server.start();
  } else {
    const count = await his.page.locator(`[data-group="cell"]`).count();
    if (count > 0) await act.does(his, 1 + cell(count), server);
  }
}

/** Returns what is written where the first person types, also in a frame. */
async function writtenIn(hers: NotebookPage, place: Place): Promise<string> {
  if (place !== "frame") return typed(hers.page);
  return hers.page.frameLocator("iframe").first().locator("#field").inputValue();
}

/** Takes back a cell that was deleted under the first person. */
async function restored({ page }: NotebookPage): Promise<void> {
  const button = page.getByRole("group", { name: "Deleted cell" }).getByRole("button", { name: "Restore" });
  if ((await button.count()) > 0) await button.click();
}

/** Waits until both pages and the log have the same cells. The deletion of her cell may arrive only now: she takes it back whenever it does. */
async function same({ hers, his, server }: Pair, id: string): Promise<void> {
  await Promise.all([hers.saved(), his.saved()]);
  const log = async (): Promise<readonly { readonly id: string; readonly source: string }[]> => {
    const { cells }: { cells: { id: string; source: string | string[] }[] } = await (await server.fetch(`/api/notebooks/${id}/export?format=ipynb`)).json();
    return cells.map(({ id: cell, source }) => ({ id: cell, source: Array.isArray(source) ? source.join("") : source }));
  };
  const agree = async (): Promise<string> => {
    await restored(hers);
    const kept = await log();
    const ids = kept.map((cell) => cell.id);
    for (const page of [hers, his]) {
      const there = await shown(page);
      const count = await page.count();
      const wrong = there.find(({ id: cell, place }) => ids[place - 1] !== cell);
      if (there.length === 0 || count !== kept.length || wrong)
        return `a page shows ${there.map(({ id: cell, place }) => `${place}: ${cell}`).join()} of ${count}, the log has ${ids.join()}`;
      const odd = (await sources(page)).find((source) => !kept.some((cell) => cell.source === source));
      if (odd !== undefined) return `the log lacks ${JSON.stringify(odd)}`;
    }
    return "";
  };
  await eventually(agree, (difference) => difference === "", "both pages and the log are equal");
}

/** Returns the mounted cells, in their order, each with its place in the notebook, from 1. Those far from the view are not mounted. */
function shown({ page }: NotebookPage): Promise<readonly { readonly id: string; readonly place: number }[]> {
  return page
    .locator("[data-cell]")
    .evaluateAll((cells) => cells.map((cell) => ({ id: cell.getAttribute("data-cell") ?? "", place: Number(cell.getAttribute("aria-posinset")) })));
}

/** Returns what is written in the editors that are shown. */
function sources({ page }: NotebookPage): Promise<readonly string[]> {
  return page.locator(".cm-content").evaluateAll((editors) =>
    editors.map((editor) => {
      const lines = [...editor.querySelectorAll(".cm-line")].map((line) => {
        const copy = line.cloneNode(true);
        if (!(copy instanceof Element)) return "";
        for (const caret of copy.querySelectorAll(".cm-peerCaret, .cm-placeholder")) caret.remove();
        return copy.textContent;
      });
      return lines.join("\n");
    }),
  );
}

/** Says what a scenario is, for who reads that it failed. */
export function told({ seed, place, cell, herself, steps }: Scenario): string {
  return `seed ${seed}: she types in a ${place} of cell ${cell}; ${herself ? "she, in another window" : "he"}: ${steps.map(({ act, wait }) => `${wait} ms, ${typeof act === "string" ? act : act.name}`).join("; ")}`;
}
