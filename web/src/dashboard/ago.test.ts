// @vitest-environment node
import { describe, expect, test } from "vitest";
import { ago, exactly } from "./ago.js";

const now = Date.UTC(2026, 5, 15, 12);
const second = 1_000;
const hour = 3_600 * second;

describe("a moment is said as one would say it", () => {
  test.each([
    [-5 * second, "just now"],
    [0, "just now"],
    [59 * second, "just now"],
    [60 * second, "1 minute ago"],
    [59.9 * 60 * second, "59 minutes ago"],
    [5 * hour, "5 hours ago"],
    [24 * hour, "yesterday"],
    [6 * 24 * hour, "6 days ago"],
  ])("%i ms before is %s", (before, want) => {
    expect(ago(now - before, now)).toBe(want);
  });
});

test("from a week on it is a date", () => {
  expect(ago(now - 8 * 24 * hour, now)).toMatch(/2026/);
});

test("a moment that is none breaks nothing", () => {
  expect(ago(-1e300, now)).toBe("at an unknown time");
  expect(exactly(Number.NaN)).toBe("at an unknown time");
});
