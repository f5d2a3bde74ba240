// @vitest-environment node
import { describe, expect, test } from "vitest";
import { find, marks, pieces, type Query, replacement } from "./find.js";

const plain = (text: string): Query => ({ text, caseful: false, regexp: false });
const regexp = (text: string): Query => ({ text, caseful: true, regexp: true });
const sources = [
  { cell: "a", source: "x = 1\nX = x + 1" },
  { cell: "b", source: "print(x)" },
];

describe("find", () => {
  test("lists all places in the order of the cells", () => {
    expect(find(sources, plain("x")).matches).toEqual([
      { cell: "a", from: 0, to: 1 },
      { cell: "a", from: 6, to: 7 },
      { cell: "a", from: 10, to: 11 },
      { cell: "b", from: 6, to: 7 },
    ]);
  });

  test("minds the case when told to", () => {
    expect(find(sources, { ...plain("X"), caseful: true }).matches).toHaveLength(1);
  });

  test.each(["(", "[", "a{2,1}", "\\", "*"])("says of %s that it is no regular expression, and finds it as text", (text) => {
    const found = find(sources, regexp(text));
    expect(found.matches).toEqual([]);
    expect(found.error).toMatch(/^This is not a regular expression: .+/);
    expect(find([{ cell: "a", source: `so ${text} is` }], plain(text)).matches).toEqual([{ cell: "a", from: 3, to: 3 + text.length }]);
  });

  test("does not count matches of nothing", () => {
    expect(find(sources, regexp("^")).matches).toEqual([]);
  });

  test("stops at ten thousand", () => {
    const found = find([{ cell: "a", source: "a".repeat(10_001) }], plain("a"));
    expect(found).toMatchObject({ more: true });
    expect(found.matches).toHaveLength(10_000);
  });
});

describe("replace", () => {
  test("all, whatever is listed", () => {
    expect(pieces(sources, regexp("\\bx\\b"), "z")).toEqual([
      { cell: "a", at: 0, was: "x", text: "z" },
      { cell: "a", at: 10, was: "x", text: "z" },
      { cell: "b", at: 6, was: "x", text: "z" },
    ]);
    expect(pieces([{ cell: "a", source: "a".repeat(10_001) }], plain("a"), "")).toHaveLength(10_001);
    expect(pieces(sources, plain("y"), "z")).toEqual([]);
    expect(pieces(sources, plain(""), "z")).toEqual([]);
    expect(pieces(sources, regexp("("), "z")).toEqual([]);
  });

  test("fills in groups for a regular expression only", () => {
    expect(pieces([{ cell: "a", source: "f(a, b)" }], regexp("(\\w), (\\w)"), "$2, $1$$")).toEqual([{ cell: "a", at: 2, was: "a, b", text: "b, a$" }]);
    expect(pieces([{ cell: "a", source: "a" }], plain("a"), "$1")).toEqual([{ cell: "a", at: 0, was: "a", text: "$1" }]);
  });

  test("one, unless it is not there any more", () => {
    expect(replacement("x = 1", { cell: "a", from: 0, to: 1 }, plain("x"), "y")).toBe("y");
    expect(replacement("y = 1", { cell: "a", from: 0, to: 1 }, plain("x"), "y")).toBeUndefined();
    expect(replacement("foo = 1", { cell: "a", from: 0, to: 3 }, regexp("(f)oo"), "$1")).toBe("f");
  });
});

test("editors are told what to mark, and which one is the one", () => {
  const { matches } = find(sources, plain("print"));
  expect(marks(matches, matches[0])).toEqual(new Map([["b", [{ from: 0, to: 5, current: true }]]]));
  expect(
    marks(
      [
        { cell: "a", from: 0, to: 1 },
        { cell: "a", from: 2, to: 3 },
      ],
      undefined,
    ).get("a"),
  ).toEqual([
    { from: 0, to: 1, current: false },
    { from: 2, to: 3, current: false },
  ]);
});
