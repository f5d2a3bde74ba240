// @vitest-environment node
import { describe, expect, test } from "vitest";
import { isStill, slotAt, speedAt } from "./drag.js";

const rows = [
  { cell: "a", top: 0, bottom: 100 },
  { cell: "b", top: 100, bottom: 140 },
];

describe("where dragged cells go", () => {
  test.each([
    [-20, { before: "a", y: 0 }],
    [49, { before: "a", y: 0 }],
    [51, { before: "b", y: 100 }],
    [130, { after: "b", y: 140 }],
    [900, { after: "b", y: 140 }],
  ])("at height %d", (y, want) => {
    expect(slotAt(rows, y)).toEqual(want);
  });

  test("is nowhere if there is no cell", () => {
    expect(slotAt([], 10)).toBeUndefined();
  });

  test.each([
    [["b"], { before: "b", y: 0 }, true],
    [["b"], { before: "c", y: 0 }, true],
    [["b"], { before: "a", y: 0 }, false],
    [["c"], { after: "c", y: 0 }, true],
    [["a", "c"], { before: "c", y: 0 }, false],
    [["a", "b"], { before: "b", y: 0 }, true],
  ])("%o to %o changes nothing: %s", (cells, slot, want) => {
    expect(isStill(["a", "b", "c"], cells, slot)).toBe(want);
  });
});

test("the list scrolls near its edges only, the faster the nearer", () => {
  expect(speedAt(400, 0, 800)).toBe(0);
  expect(speedAt(10, 0, 800)).toBeLessThan(speedAt(50, 0, 800));
  expect(speedAt(790, 0, 800)).toBeGreaterThan(speedAt(750, 0, 800));
  expect(speedAt(5000, 0, 800)).toBe(24);
});
