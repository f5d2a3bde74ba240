import { describe, expect, test } from "vitest";
import { lineWindow, parts, scrollToLine, span, windowed, within } from "./virtualList.js";

/** Returns seeded random numbers between 0 and 1. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

describe("within", () => {
  const height = (i: number): number => [10, 20, 30, 40][i] ?? 0;

  test.each([
    [0, 10, { start: 0, end: 1 }],
    [0, 11, { start: 0, end: 2 }],
    [10, 30, { start: 1, end: 2 }],
    [29, 31, { start: 1, end: 3 }],
    [1000, 2000, { start: 3, end: 4 }],
    [-50, -10, { start: 0, end: 1 }],
  ])("from %d to %d", (top, bottom, want) => {
    expect(within(4, height, top, bottom)).toEqual(want);
  });

  test("of no cells is empty", () => {
    expect(within(0, height, 0, 100)).toEqual({ start: 0, end: 0 });
  });
});

test("whatever is seen is in the page, and not much more", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const next = random(seed);
    const count = Math.floor(next() * 200);
    const heights = Array.from({ length: count }, () => 20 + Math.floor(next() * 400));
    const height = (i: number): number => heights[i] ?? 0;
    const total = span(height, { start: 0, end: count });
    let now = { start: 0, end: 12 };
    for (let step = 0; step < 20; step++) {
      const view = { top: Math.floor(next() * total), height: 300 + Math.floor(next() * 700) };
      now = windowed(count, height, view, now);
      const seen = within(count, height, view.top, Math.min(view.top + view.height, total));
      expect(now.start, `seed ${seed}`).toBeLessThanOrEqual(seen.start);
      expect(now.end, `seed ${seed}`).toBeGreaterThanOrEqual(seen.end);
      expect(now.end, `seed ${seed}`).toBeLessThanOrEqual(count);
      expect(span(height, now), `seed ${seed}`).toBeLessThanOrEqual(6 * view.height + 6 * 420);
    }
  }
});

describe("scrolling", () => {
  const height = (): number => 100;

  test("brings a few cells at a time, until half a screen more is there on either side", () => {
    let now = windowed(1000, height, { top: 10_000, height: 800 }, { start: 0, end: 12 });
    expect(now.end - now.start).toBeLessThanOrEqual(8 + 2 * 3);
    for (let i = 0; i < 3; i++) now = windowed(1000, height, { top: 10_000, height: 800 }, now);
    expect(now).toEqual({ start: 96, end: 112 });
    expect(windowed(1000, height, { top: 10_000, height: 800 }, now)).toBe(now);
  });

  test("by a cell brings a cell, and keeps those behind for a screen", () => {
    const now = { start: 96, end: 112 };
    expect(windowed(1000, height, { top: 10_100, height: 800 }, now)).toEqual({ start: 96, end: 113 });
    expect(windowed(1000, height, { top: 10_800, height: 800 }, now).start).toBe(100);
  });
});

test("the pieces make up the whole list, with each cell at its place", () => {
  for (let seed = 1; seed <= 500; seed++) {
    const next = random(seed);
    const count = Math.floor(next() * 30);
    const height = (i: number): number => 10 + ((i * 7) % 13);
    const start = Math.floor(next() * (count + 3));
    const end = start + Math.floor(next() * 10);
    const pinned = Math.floor(next() * (count + 4)) - 2;
    const list = parts(count, height, { start, end }, pinned);
    const total = list.reduce((sum, part) => sum + (part.kind === "spacer" ? part.height : height(part.index)), 0);
    const cells = list.flatMap((part) => (part.kind === "item" ? [part.index] : []));
    const keys = list.flatMap((part) => (part.kind === "spacer" ? [part.key] : []));
    expect(total, `seed ${seed}`).toBe(span(height, { start: 0, end: count }));
    expect(cells, `seed ${seed}`).toEqual([...new Set(cells)].sort((a, b) => a - b));
    expect(new Set(keys).size, `seed ${seed}`).toBe(keys.length);
    if (pinned >= 0 && pinned < count) expect(cells, `seed ${seed}`).toContain(pinned);
    for (let i = start; i < Math.min(end, count); i++) expect(cells, `seed ${seed}`).toContain(i);
  }
});

const lineView = { lines: 100_000, lineHeight: 20, height: 400, scrollTop: 0 };

test("the lines that are seen are there, and some around them", () => {
  expect(lineWindow(lineView)).toEqual({ start: 0, end: 37, top: 0, height: 2_000_000 });
  expect(lineWindow({ ...lineView, scrollTop: 20_010 })).toEqual({ start: 984, end: 1037, top: 19_680, height: 2_000_000 });
  expect(lineWindow({ ...lineView, scrollTop: 1_999_600 })).toMatchObject({ start: 99_964, end: 100_000 });
});

test.each([10, 100_000, 5_000_000])("the end of %i lines is where one cannot scroll further", (lines) => {
  const scrollTop = Math.max(0, lineWindow({ ...lineView, lines }).height - lineView.height);
  expect(lineWindow({ ...lineView, lines, scrollTop: "end" })).toEqual(lineWindow({ ...lineView, lines, scrollTop }));
});

test("a log that shrank under the view still shows its end", () => {
  expect(lineWindow({ ...lineView, lines: 10, scrollTop: 50_000 })).toMatchObject({ start: 9, end: 10 });
});

test("five million lines can be scrolled from the first to the last", () => {
  const long = { ...lineView, lines: 5_000_000 };
  const { height } = lineWindow(long);
  expect(height).toBe(8_000_000);
  const end = lineWindow({ ...long, scrollTop: height - 400 });
  expect(end.end).toBe(5_000_000);
  expect(end.top + (end.end - end.start) * 20).toBeCloseTo(height, 3);
});

test.each([100, 100_000, 5_000_000])("scrolling to any of %i lines shows it", (lines) => {
  for (let i = 0; i <= 20; i++) {
    const line = Math.floor(((lines - 1) * i) / 20);
    const scrollTop = scrollToLine(line, { ...lineView, lines });
    const { start, end, top } = lineWindow({ ...lineView, lines, scrollTop });
    expect(start <= line && line < end).toBe(true);
    const y = top + (line - start) * 20;
    expect(y >= scrollTop - 1 && y <= scrollTop + 400).toBe(true);
  }
});
