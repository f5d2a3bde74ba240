import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { handOver } from "./handOver.js";

let root: HTMLElement;
let first: HTMLElement;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  root = document.createElement("div");
  first = document.createElement("div");
  document.body.replaceChildren(first, root);
  handOver(root, first);
});

afterEach(() => void vi.useRealTimers());

/** Renders HTML in the root, and lets observers run. */
async function show(html: string): Promise<void> {
  root.innerHTML = html;
  await Promise.resolve();
}

test("the first screen stays while there is nothing, or something that is busy", async () => {
  await show("<p>loading</p>");
  await show(`<main aria-busy="true"></main>`);
  expect(first.isConnected).toBe(true);
});

test("it goes as soon as there is a page, whichever that is", async () => {
  await show("<main>There is no such notebook</main>");
  expect(first.isConnected).toBe(false);
});

test("it stays for prose that is not ready, but not for ever", async () => {
  await show("<main><p data-unready>**bold**</p></main>");
  expect(first.isConnected).toBe(true);
  vi.advanceTimersByTime(1_000);
  expect(first.isConnected).toBe(true);
  vi.advanceTimersByTime(1_000);
  expect(first.isConnected).toBe(false);
});

test("it goes when the prose is ready", async () => {
  await show("<main><p data-unready>**bold**</p></main>");
  await show("<main><p><b>bold</b></p></main>");
  expect(first.isConnected).toBe(false);
});
