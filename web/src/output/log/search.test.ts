// @vitest-environment node
import { expect, test } from "vitest";
import { Log } from "../../core/log.js";
import { mostMatches, patternOf, type Query, Search } from "./search.js";

function search(log: Log, query: Partial<Query>): Search {
  const pattern = patternOf({ text: "", caseSensitive: false, regexp: false, ...query });
  if (typeof pattern === "string") throw new Error(pattern);
  return new Search(log, pattern);
}

test("text is found as it is seen, with its place", () => {
  const log = new Log("an \x1b[31mer\x1b[0mror\nfine\nError (a.b)");
  const all = search(log, { text: "error" });
  expect(all.go(100)).toBe(true);
  expect(all.matches).toEqual([
    { line: 0, start: 3, end: 8 },
    { line: 2, start: 0, end: 5 },
  ]);
  const exact = search(log, { text: "Error (a.b)", caseSensitive: true });
  exact.go(100);
  expect(exact.matches).toEqual([{ line: 2, start: 0, end: 11 }]);
});

test("a regular expression is one only if asked for, and a wrong one is explained", () => {
  const log = new Log("a1 b22\n^$\\");
  const digits = search(log, { text: "\\d+", regexp: true });
  digits.go(9);
  expect(digits.matches.map((m) => m.start)).toEqual([1, 4]);
  const plain = search(log, { text: "^$\\" });
  plain.go(9);
  expect(plain.matches).toEqual([{ line: 1, start: 0, end: 3 }]);
  expect(patternOf({ text: "(", caseSensitive: false, regexp: true })).toMatch(/^Not a regular expression: .+\.$/);
  const empty = search(log, { text: "x*", regexp: true });
  expect(empty.go(9)).toBe(true);
  expect(empty.matches).toEqual([]);
});

test("it goes on where text was added, and forgets what was taken away", () => {
  class Counting extends Log {
    asked = 0;
    override line(index: number): string {
      this.asked++;
      return super.line(index);
    }
  }
  const log = new Counting("hit\n".repeat(5000));
  const hits = search(log, { text: "hit" });
  expect(hits.go(3000)).toBe(false);
  expect(hits.go(3000)).toBe(true);
  log.append(0, "a hit\n");
  log.asked = 0;
  expect(hits.go(3000)).toBe(true);
  expect(log.asked).toBeLessThan(3);
  expect(hits.matches.length).toBe(5001);
  log.append(7, "");
  hits.go(3000);
  expect(hits.matches.length).toBe(5000);
});

test("no more is found than can be used", () => {
  const many = search(new Log("x".repeat(9_000).concat("\n").repeat(3)), { text: "x" });
  expect(many.go(10)).toBe(true);
  expect(many.matches.length).toBe(mostMatches);
});
