// @vitest-environment node
import { expect, test } from "vitest";
import { piecesOf } from "./pieces.js";

test.each([
  ["see https://example.com/a.", ["https://example.com/a"]],
  ["(https://en.wikipedia.org/wiki/A_(letter))", ["https://en.wikipedia.org/wiki/A_(letter)"]],
  ["(see http://a.example/x), https://b.example?", ["http://a.example/x", "https://b.example"]],
  ['<a href="https://example.com/x">', ["https://example.com/x"]],
  ["https://", []],
  ["javascript:alert(1) ftp://x xhttps://y", []],
])("addresses in %j are links", (text, want) => {
  const pieces = piecesOf(text);
  expect(pieces.filter((piece) => piece.kind === "link").map((piece) => piece.text)).toEqual(want);
  expect(pieces.map((piece) => piece.text).join("")).toBe(text);
});

test("references to lines of cells are places", () => {
  expect(piecesOf("  Cell In[4], line 2, in half")).toEqual([
    { kind: "text", text: "  " },
    { kind: "place", text: "Cell In[4], line 2", count: 4, line: 2 },
    { kind: "text", text: ", in half" },
  ]);
  expect(piecesOf("In [12], line 30")).toEqual([{ kind: "place", text: "In [12], line 30", count: 12, line: 30 }]);
  expect(piecesOf("Login [4], line 2")).toEqual([{ kind: "text", text: "Login [4], line 2" }]);
});

test("a long line of brackets takes time in proportion to its length", () => {
  const text = `https://a${")".repeat(300_000)}`;
  expect(piecesOf(text)[0]?.text).toBe("https://a");
});
