import { describe, expect, test } from "vitest";
import { applyEdit } from "../core/edit.js";
import { find, type Query, replaceAll, replacement } from "./find.js";

const plain = (text: string): Query => ({ text, caseful: false, regexp: false });
const regexp = (text: string): Query => ({ text, caseful: true, regexp: true });
const sources = [{ cell: "a", source: "x = 1\nX = x + 1" }, { cell: "b", source: "print(x)" }];

describe("find", () => {
  test("lists all places in the order of the cells", () => {
    expect(find(sources, plain("x")).matches).toEqual([
      { cell: "a", from: 0, to: 1 }, { cell: "a", from: 6, to: 7 }, { cell: "a", from: 10, to: 11 }, { cell: "b", from: 6, to: 7 },
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
  test("all at once", () => {
    const edit = replaceAll("x = x + xy", regexp("\\bx\\b"), "z");
    expect(edit && applyEdit("x = x + xy", edit)).toBe("z = z + xy");
    expect(replaceAll("abc", plain("x"), "y")).toBeUndefined();
  });

  test("fills in groups for a regular expression only", () => {
    const edit = replaceAll("f(a, b)", regexp("(\\w), (\\w)"), "$2, $1$$");
    expect(edit && applyEdit("f(a, b)", edit)).toBe("f(b, a$)");
    const literal = replaceAll("a", plain("a"), "$1");
    expect(literal && applyEdit("a", literal)).toBe("$1");
  });

  test("one, unless it is not there any more", () => {
    expect(replacement("x = 1", { cell: "a", from: 0, to: 1 }, plain("x"), "y")).toBe("y");
    expect(replacement("y = 1", { cell: "a", from: 0, to: 1 }, plain("x"), "y")).toBeUndefined();
    expect(replacement("foo = 1", { cell: "a", from: 0, to: 3 }, regexp("(f)oo"), "$1")).toBe("f");
  });
});
