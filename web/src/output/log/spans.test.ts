// @vitest-environment node
import { expect, test } from "vitest";
import { plainStyle } from "./ansi.js";
import { partsOf } from "./spans.js";

test("a line is cut where its style, an address or what was found begins and ends", () => {
  const spans = [
    { text: "see http://a.example/x ", style: plainStyle },
    { text: "now", style: { bold: true } },
  ];
  const found = [
    { start: 11, end: 15, current: false },
    { start: 22, end: 25, current: true },
  ];
  expect(partsOf(spans, found).map((part) => [part.text, part.piece.kind, part.found])).toEqual([
    ["see ", "text", undefined],
    ["http://", "link", undefined],
    ["a.ex", "link", "found"],
    ["ample/x", "link", undefined],
    [" ", "text", "current"],
    ["no", "text", "current"],
    ["w", "text", undefined],
  ]);
});

test("text of a link is that link, whatever it says", () => {
  const spans = [{ text: "http://other.example", style: { href: "https://real.example/" } }];
  expect(partsOf(spans).map((part) => part.piece)).toEqual([{ kind: "link", text: "http://other.example", href: "https://real.example/" }]);
});
