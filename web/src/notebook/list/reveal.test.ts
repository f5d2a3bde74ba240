// @vitest-environment node
import { expect, test } from "vitest";
import { scrollBy } from "./reveal.js";

const view = { top: 100, bottom: 900 };

test.each([
  ["what is seen", { top: 200, bottom: 300 }, 0],
  ["what is above", { top: -50, bottom: 50 }, -166],
  ["what is below", { top: 880, bottom: 960 }, 76],
  ["what is too tall and seen", { top: -500, bottom: 2000 }, 0],
  ["what is too tall and starts below", { top: 870, bottom: 2900 }, 754],
  ["what is too tall and ends above", { top: -2000, bottom: 120 }, -2116],
])("as little as it takes to see %s", (_, box, want) => {
  expect(scrollBy(box, view, "nearest")).toBe(want);
});

test("to the top when that is asked for", () => {
  expect(scrollBy({ top: 500, bottom: 600 }, view, "top")).toBe(384);
});
