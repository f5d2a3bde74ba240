import type { Page } from "playwright-core";
import { expect } from "vitest";
import { eventually, type NotebookPage } from "../notebook.js";
import type { Pair } from "../pair.js";
import { at, seen, type, typed, watch } from "../typist.js";
import type { Place, Scenario, Step } from "./scenario.js";

/** Plays a scenario. It fails if an act disturbed Ada's typing, or if the pages and the log differ at the end. */
export async function play(pair: Pair, { place, cells, cell, text, alone, steps }: Scenario): Promise<void> {
  const id = await pair.open(cells);
  const { hers } = pair;
  const other = alone ? await pair.openSecond() : pair.his;
  await hers.page.bringToFront();
  await enter(hers.page, place, cell);
  await watch(hers.page);
  const typing = place === "composition" ? compose(hers.page, text) : type(hers.page, text, 20);
  try {
    for (const step of steps) await perform(pair, other, step);
  } finally {
    await typing;
    await pair.closeSecond();
  }
  const { moved, lost, frames } = await seen(hers.page);
  const written = await writtenIn(hers, place);
  expect(lost, "frames without the focus").toBe(0);
  expect(frames, "frames in which the line was observed").toBeGreaterThan(1);
  expect(written, "the text where Ada types").toContain(text);
  expect(moved, "pixels that Ada's line moved").toBeLessThanOrEqual(20);
  await hers.page.keyboard.press(place === "title" ? "Enter" : place === "search" || place === "frame" ? "Escape" : "Shift"); // a replaced output is removed when it loses the focus
  await waitForEqual(pair, id);
  if (place === "source" || place === "Markdown" || place === "composition")
    expect(await hers.sources(), "the sources").toEqual(expect.arrayContaining([expect.stringContaining(text)]));
}

/** Moves the focus to the place in which Ada types. */
async function enter(page: Page, place: Place, cell: number): Promise<void> {
  await at(page, cell);
  switch (place) {
    case "title":
      await page.getByTitle("Rename").click();
      break;
    case "search": {
      await page.keyboard.press("Control+Enter");
      const search = page.getByRole("button", { name: "Find in output" }).first();
      await search.waitFor({ state: "attached" });
      await search.focus();
      await page.keyboard.press("Enter");
      await fieldHasFocus(page);
      break;
    }
    case "question":
      await page.keyboard.press("Control+Enter");
      await fieldHasFocus(page);
      break;
    case "frame":
      await page.frameLocator("iframe").first().locator("#field").click();
      break;
    default:
      await page.keyboard.press("Enter");
      await page.keyboard.press("Control+End");
  }
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

async function fieldHasFocus(page: Page): Promise<void> {
  await eventually(
    () => page.evaluate(() => document.activeElement?.tagName),
    (tag) => tag === "INPUT",
    "the field has the focus",
  );
}

/** Types a text as an input method does: each word is composed of its letters and then inserted. */
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

async function perform({ server, proxy }: Pair, other: NotebookPage, { act, cell, wait }: Step): Promise<void> {
  await new Promise((done) => setTimeout(done, wait));
  if (act === "cut the network") {
    proxy.disconnect();
    setTimeout(() => proxy.reconnect(), 300);
  } else if (act === "kill the server") {
    await server.kill();
    await server.start();
  } else {
    const count = await other.page.locator(`[data-group="cell"]`).count();
    if (count > 0) await act.does(other, 1 + cell(count), server);
  }
}

/** Returns the text where Ada types, also in a frame. */
async function writtenIn(hers: NotebookPage, place: Place): Promise<string> {
  if (place !== "frame") return typed(hers.page);
  return hers.page.frameLocator("iframe").first().locator("#field").inputValue();
}

/** Waits until both pages agree with the log. The deletion of Ada's cell may arrive only now: it is restored then. */
async function waitForEqual({ hers, his, server }: Pair, id: string): Promise<void> {
  await Promise.all([hers.saved(), his.saved()]);
  const difference = async (): Promise<string> => {
    await restore(hers);
    const log = await server.cells(id);
    return (await differenceOf(hers, log)) || differenceOf(his, log);
  };
  await eventually(difference, (text) => text === "", "both pages and the log are equal");
}

/** Restores Ada's cell if it was deleted. */
async function restore({ page }: NotebookPage): Promise<void> {
  const button = page.getByRole("group", { name: "Deleted cell" }).getByRole("button", { name: "Restore" });
  if ((await button.count()) > 0) await button.click();
}

/** Describes a difference between a page and the log; empty if there is none. */
async function differenceOf(page: NotebookPage, log: readonly { readonly id: string; readonly source: string }[]): Promise<string> {
  const mounted = await mountedCells(page);
  const count = await page.count();
  const wrong = mounted.find(({ id, place }) => log[place - 1]?.id !== id);
  if (mounted.length === 0 || count !== log.length || wrong)
    return `a page shows ${mounted.map(({ id, place }) => `${place}: ${id}`).join()} of ${count}, the log has ${log.map(({ id }) => id).join()}`;
  const odd = (await page.sources()).find((source) => !log.some((cell) => cell.source === source));
  return odd === undefined ? "" : `the log lacks ${JSON.stringify(odd)}`;
}

/** Returns the mounted cells with their places in the notebook, counted from 1. Cells far from the view are not mounted. */
function mountedCells({ page }: NotebookPage): Promise<readonly { readonly id: string; readonly place: number }[]> {
  return page
    .locator("[data-cell]")
    .evaluateAll((cells) => cells.map((cell) => ({ id: cell.getAttribute("data-cell") ?? "", place: Number(cell.getAttribute("aria-posinset")) })));
}
