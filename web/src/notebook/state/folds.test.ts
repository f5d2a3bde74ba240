import { beforeEach, expect, test, vi } from "vitest";
import { keepFolds, keptFolds } from "./folds.js";

beforeEach(() => {
  localStorage.clear();
  vi.useRealTimers();
});

const all = (): boolean => true;

test("folds are kept by notebook", () => {
  keepFolds(
    "a",
    new Map([
      ["c1", { source: true }],
      ["c2", { outputs: false, numbers: true }],
    ]),
    all,
  );
  keepFolds("b", new Map([["c1", { scrolled: true }]]), all);
  expect(keptFolds("a")).toEqual(
    new Map([
      ["c1", { source: true }],
      ["c2", { outputs: false, numbers: true }],
    ]),
  );
  expect(keptFolds("b")).toEqual(new Map([["c1", { scrolled: true }]]));
  expect(keptFolds("c")).toEqual(new Map());
});

test("nothing is kept of cells that are gone, and of a notebook without folds", () => {
  keepFolds(
    "a",
    new Map([
      ["c1", { source: true }],
      ["c2", { source: true }],
    ]),
    (cell) => cell === "c2",
  );
  expect([...keptFolds("a").keys()]).toEqual(["c2"]);
  keepFolds("a", new Map([["c2", {}]]), all);
  expect(Object.keys(localStorage)).toEqual([]);
});

test("only so many notebooks are kept, those that were changed last", () => {
  vi.useFakeTimers();
  for (let i = 0; i < 205; i++) {
    vi.setSystemTime(i);
    keepFolds(`n${i}`, new Map([["c", { source: true }]]), all);
  }
  expect(Object.keys(localStorage)).toHaveLength(200);
  expect(keptFolds("n4").size).toBe(0);
  expect(keptFolds("n5").size).toBe(1);
});

test.each(["", "{", "null", "[]", '{"cells":7}', '{"cells":{"c":null}}', '{"cells":{"c":{"source":"yes"}}}'])("what is kept as %s folds nothing", (json) => {
  localStorage.setItem("quire.folds.a", json);
  expect([...keptFolds("a").values()].filter((fold) => fold.source !== undefined)).toEqual([]);
});

test("without storage there is nothing kept, and nothing fails", () => {
  vi.stubGlobal("localStorage", undefined);
  keepFolds("a", new Map([["c1", { source: true }]]), all);
  expect(keptFolds("a")).toEqual(new Map());
  vi.unstubAllGlobals();
});
