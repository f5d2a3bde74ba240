// @vitest-environment node
import { expect, test } from "vitest";
import { parseLine, plainStyle, type Span, type Style, styleAfter, withoutSequences } from "./ansi.js";

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function text(spans: readonly Span[]): string {
  return spans.map((span) => span.text).join("");
}

/** Returns the style of an x after a sequence. */
function after(sequence: string): Style {
  return parseLine(`${sequence}x`, plainStyle).spans[0]?.style ?? plainStyle;
}

test.each<[string, Style]>([
  ["\x1b[31m", { color: 1 }],
  ["\x1b[97;44m", { color: 15, background: 4 }],
  ["\x1b[107m", { background: 15 }],
  ["\x1b[1;2;3;4;7;9m", { bold: true, dim: true, italic: true, underline: true, inverse: true, strike: true }],
  ["\x1b[1;3m\x1b[22;23m", { bold: false, dim: false, italic: false }],
  ["\x1b[31;42m\x1b[39;49m", {}],
  ["\x1b[31m\x1b[m", {}],
  ["\x1b[38;5;9m", { color: 9 }],
  ["\x1b[38;5;208;1m", { color: [255, 135, 0], bold: true }],
  ["\x1b[48;5;255m", { background: [238, 238, 238] }],
  ["\x1b[38;2;1;2;300m", { color: [1, 2, 255] }],
  ["\x1b[38:2::1:2:3m", { color: [1, 2, 3] }],
  ["\x1b[38:2:1:2:3;3m", { color: [1, 2, 3], italic: true }],
  ["\x1b[48:5:196m", { background: [255, 0, 0] }],
  ["\x1b[58;2;1;2;3;1m", { bold: true }],
  ["\x1b[4:3m", { underline: true }],
  ["\x1b[4m\x1b[4:0m", { underline: false }],
  ["\x9b31m", { color: 1 }],
  ["\x1b[38m", {}],
  ["\x1b[38;5m", { color: 0 }],
  ["\x1b[?31m", {}],
  ["\x1b[>4;1m", {}],
])("the sequence %j gives its style", (sequence, want) => {
  expect(after(sequence)).toEqual(want);
});

test("links of the web become links, and others do not", () => {
  const link = (url: string) => after(`\x1b]8;;${url}\x1b\\`).href;
  expect(link("https://example.com/a b")).toBe("https://example.com/a%20b");
  expect(link("http://example.com")).toBe("http://example.com/");
  for (const url of ["javascript:alert(1)", "JAVASCRIPT:alert(1)", "data:text/html,x", "file:///etc/passwd", "//example.com", "x", ""])
    expect(link(url)).toBeUndefined();
  const { spans } = parseLine("a\x1b]8;id=1;https://example.com\x07b\x1b[0mc\x1b]8;;\x07d", plainStyle);
  expect(spans.map((span) => [span.text, span.style.href])).toEqual([
    ["a", undefined],
    ["b", "https://example.com/"],
    ["c", "https://example.com/"],
    ["d", undefined],
  ]);
});

test("what a terminal would do, and not show, is taken away", () => {
  for (const sequence of [
    "\x1b[2K",
    "\x1b[10;20H",
    "\x1b[?25l",
    "\x1b]0;title\x07",
    "\x1b]52;c;c2VjcmV0\x07",
    "\x1bPq#0\x1b\\",
    "\x1b(B",
    "\x1bc",
    "\x07",
    "\x00",
    "\x1b[>0c",
    "\x1b_x\x1b\\",
    "\x85",
  ]) {
    expect(text(parseLine(`a${sequence}b`, plainStyle).spans)).toBe("ab");
  }
  expect(text(parseLine("a\tb", plainStyle).spans)).toBe("a\tb");
});

test("a sequence without an end hides no text", () => {
  expect(withoutSequences("a\x1b]0;title")).toBe("a0;title");
  expect(withoutSequences("a\x1b[31")).toBe("a31");
  expect(withoutSequences("a\x1b")).toBe("a");
  expect(withoutSequences("a\x1bPtext")).toBe("atext");
});

test("a style goes on in the next line", () => {
  const first = parseLine("\x1b[31mred", plainStyle);
  expect(first.style).toEqual({ color: 1 });
  expect(parseLine("still", first.style).spans).toEqual([{ text: "still", style: { color: 1 } }]);
  expect(styleAfter("\x1b[31mred\x1b[1m", plainStyle)).toEqual({ color: 1, bold: true });
});

test.each(Array.from({ length: 40 }, (_, i) => i + 1))("any input is parsed, and its text is kept (seed %i)", (seed) => {
  const next = random(seed);
  const alphabet = [
    "\x1b",
    "[",
    "]",
    "8;;",
    "http://a",
    ";",
    "m",
    "0",
    "38",
    "5",
    "2",
    ":",
    "\x07",
    "\\",
    "x",
    "é",
    "😀",
    "\ud800",
    "\x9b",
    "\x00",
    "P",
    "?",
    " ",
    "\t",
  ];
  for (let round = 0; round < 100; round++) {
    const input = Array.from({ length: Math.floor(next() * 30) }, () => alphabet[Math.floor(next() * alphabet.length)]).join("");
    const { spans, style } = parseLine(input, plainStyle);
    expect(text(spans)).toBe(withoutSequences(input));
    expect(style).toEqual(styleAfter(input, plainStyle));
    expect(spans.every((span) => span.text !== "" && !span.text.includes("\x1b"))).toBe(true);
    for (const { href } of spans.map((span) => span.style)) expect(href === undefined || href.startsWith("http://")).toBe(true);
  }
});

test.each([1, 2, 3])("text between sequences is kept whole (seed %i)", (seed) => {
  const next = random(seed);
  const sequences = ["\x1b[1m", "\x1b[38;5;200m", "\x1b]8;;https://e.com\x07", "\x1b]8;;\x1b\\", "\x1b[0K", "\x1b[?1h", "\x1b(B"];
  const words = Array.from({ length: 500 }, () => String(next()).slice(2));
  const input = words.map((word) => word + sequences[Math.floor(next() * sequences.length)]).join("");
  expect(text(parseLine(input, plainStyle).spans)).toBe(words.join(""));
});

test("a long hostile line takes time in proportion to its length", () => {
  for (const part of ["\x1b]", "\x1bP", "\x1b[", "\x1b[0;", "\x1b]8;;", "\x1b "]) {
    expect(parseLine(part.repeat(50_000), plainStyle).spans.length).toBeLessThanOrEqual(50_000);
  }
});
