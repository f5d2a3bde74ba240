// @vitest-environment node
import { expect, test } from "vitest";
import { FrameHeight } from "./frameHeight.js";

/** Simulates a page in a frame: it reports its height 16 ms after each change of its frame, until nothing changes. */
function play(pageHeight: (frame: number) => number, start = 60): { readonly heights: readonly number[]; readonly frame: FrameHeight } {
  const frame = new FrameHeight(start);
  const heights = [start];
  let said = -1;
  for (let time = 0; time < 60_000;) {
    const says = pageHeight(frame.height);
    if (says === said && frame.waits) {
      time += 300;
      frame.release(time);
    } else if (says === said) break;
    else {
      said = says;
      time += 16;
      frame.take(says, time);
    }
    if (heights.at(-1) !== frame.height) heights.push(frame.height);
  }
  return { heights, frame };
}

test("a page that has a height gets it", () => {
  expect(play(() => 250.2).heights).toEqual([60, 251]);
});

test.each<[string, (frame: number) => number]>([
  ["grows a little with its frame", (h) => h + 16],
  ["is always twice its frame", (h) => h * 2],
  ["goes up and down", (h) => (h > 200 ? 100 : 300)],
])("a page that %s comes to rest", (_, page) => {
  const { heights, frame } = play(page);
  expect(heights.length).toBeLessThan(20);
  expect(frame.height).toBeLessThan(1000);
  expect(frame.height).toBeGreaterThanOrEqual(100);
});

test("a page that fills its frame is as tall as the frame was", () => {
  expect(play((h) => h, 300).heights).toEqual([300]);
});

test("something that unfolds slowly ends as tall as it is", () => {
  const frame = new FrameHeight(100);
  for (let i = 1; i <= 40; i++) frame.take(100 + i * 10, i * 16);
  expect(frame.waits).toBe(true);
  frame.release(1000);
  expect(frame.height).toBe(500);
});

test("rows that a program adds for a long time are all shown", () => {
  const frame = new FrameHeight(100);
  for (let i = 1; i <= 100; i++) frame.take(100 + i * 20, i * 500);
  expect(frame.height).toBe(2100);
});

test("a page has no more than the most, and other content begins anew", () => {
  const frame = new FrameHeight(100);
  frame.take(1e9, 0);
  expect(frame.height).toBe(20_000);
  const { frame: restless } = play((h) => h + 16);
  restless.reset();
  restless.take(77, 100_000);
  expect(restless.height).toBe(77);
});
