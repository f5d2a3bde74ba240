// @vitest-environment node
import { describe, expect, test } from "vitest";
import { initials } from "../ui/initials.js";
import { printable, shorten } from "./printable.js";

describe("a name is shown without what hides in it", () => {
  test.each([
    ["Plan", "Plan"],
    ["  two   words\n", "two words"],
    ["invoice \u202egpj.exe", "invoice gpj.exe"],
    ["\u2066a\u2069\u2067b\u2069", "ab"],
    ["a\u0000\u001b[31mb", "a[31mb"],
    ["soft\u200bly", "softly"],
    ["tag\u{e0041}ged", "tagged"],
    ["<b>bold</b>", "<b>bold</b>"],
    ["שלום", "שלום"],
    ["👩‍👩‍👧 family", "👩‍👩‍👧 family"],
    ["", "Untitled"],
    [" \u200b\u2060\u00ad ", "Untitled"],
    ["\u3164", "Untitled"],
  ])("%j is %j", (name, want) => {
    expect(printable(name)).toBe(want);
  });
});

test("a long text is cut between characters", () => {
  expect(shorten("abcdef", 6)).toBe("abcdef");
  expect(shorten("abcdefg", 6)).toBe("abcde…");
  expect(shorten("👍👍👍👍", 3)).toBe("👍👍…");
});

describe("initials are of the first word and of the last", () => {
  test.each([
    ["ada lovelace", "AL"],
    ["ada", "A"],
    ["Grace Brewster Murray Hopper", "GH"],
    ["jean-luc", "JL"],
    ["\u202eevil", "E"],
    ["", "?"],
    ["👩‍👩‍👧 Smith", "👩‍👩‍👧S"],
    ["日本", "日"],
  ])("%j has %j", (name, want) => {
    expect(initials(name)).toBe(want);
  });
});
