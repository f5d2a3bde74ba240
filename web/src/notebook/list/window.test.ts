import { describe, expect, test } from "vitest";
import { parts, span, windowed, within } from "./window.js";

/** Returns numbers between 0 and 1 that are the same for the same seed. */
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
    const total = list.reduce((sum, part) => sum + (part.kind === "room" ? part.height : height(part.index)), 0);
    const cells = list.flatMap((part) => (part.kind === "cell" ? [part.index] : []));
    const keys = list.flatMap((part) => (part.kind === "room" ? [part.key] : []));
    expect(total, `seed ${seed}`).toBe(span(height, { start: 0, end: count }));
    expect(cells, `seed ${seed}`).toEqual([...new Set(cells)].sort((a, b) => a - b));
    expect(new Set(keys).size, `seed ${seed}`).toBe(keys.length);
    if (pinned >= 0 && pinned < count) expect(cells, `seed ${seed}`).toContain(pinned);
    for (let i = start; i < Math.min(end, count); i++) expect(cells, `seed ${seed}`).toContain(i);
  }
});
