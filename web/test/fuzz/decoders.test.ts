import { afterEach, expect, test } from "vitest";
import { parseFromFrame, parseToFrame } from "../../src/frame/messages.js";
import { printable } from "../../src/lib/printable.js";
import { parse, plain } from "../../src/notebook/state/clipboard.js";
import { keptFolds } from "../../src/notebook/state/folds.js";
import { RefusalStore } from "../../src/notebook/state/refusals.js";
import { prefer, preferStored } from "../../src/output/bundle/prefer.js";
import { foldTrace } from "../../src/output/error/trace.js";
import { sizeOfImage } from "../../src/output/image/imageSize.js";
import { weightOf } from "../../src/output/image/svgWeight.js";
import { previewOf, rowsOf } from "../../src/output/json/jsonRows.js";
import { parseLine, plainStyle, styleAfter, withoutSequences } from "../../src/output/log/ansi.js";
import { piecesOf } from "../../src/output/log/pieces.js";
import { nodesOf } from "../../src/output/markdown/show.js";
import { addressOf, parseRoute } from "../../src/routing/route.js";
import { activeIn, hostile } from "../hostile.js";
import { fuzz, mutate, pick, randomJSON } from "./mutate.js";

const terminal = [
  "plain",
  "\x1b[31;42mred\x1b[0m",
  "\x1b[38;2;1;2;3m",
  "\x1b[38:2::1:2:3m",
  "\x1b[48;5;200m",
  "\x1b]8;id=1;https://example.com\x07a\x1b]8;;\x07",
  "\x1b]0;title\x1b\\",
  "\x1bPq#0\x1b\\",
  "\x9b31mx",
  "\x1b[?25l\x1b(B",
];
const text = ["see https://example.com/a_(b), and http://x.y:80/?q=1#f.", "Cell In[3], line 12", "In [1] line 2", "Error at line ", ...terminal];
const stored = [
  '{"used":1,"cells":{"a":{"source":true,"outputs":false}}}',
  '[{"id":"a","message":"b","source":"c"}]',
  '{"a":12.5}',
  "[]",
  "null",
  '"x"',
  "[{}]",
  '{"cells":[null]}',
];

afterEach(() => localStorage.clear());

test("frames say nothing but what they may, of no more than its length", () => {
  const names = [
    "kind",
    "height",
    "href",
    "host",
    "text",
    "look",
    "source",
    "css",
    "ready",
    "link",
    "escape",
    "pressed",
    "unpressed",
    "blocked",
    "error",
    "show",
    "theme",
    "html",
    "__proto__",
    "constructor",
  ];
  const fields: Readonly<Record<string, string>> = {
    ready: "",
    escape: "",
    pressed: "",
    unpressed: "",
    height: "height",
    link: "href",
    blocked: "host",
    error: "text",
  };
  fuzz(5000, (draw) => {
    const said =
      draw(2) === 0
        ? randomJSON(names, text, draw)
        : { kind: pick(names, draw), [pick(names, draw)]: randomJSON(names, text, draw, 1), [pick(names, draw)]: mutate(text, draw).repeat(draw(50)) };
    const message = parseFromFrame(said);
    parseToFrame(said);
    if (!message) return;
    expect(Object.keys(message)).toEqual(["kind", fields[message.kind]].filter((name) => name !== ""));
    for (const value of Object.values(message)) expect(typeof value === "string" ? value.length <= 8000 : Number.isFinite(value) && value >= 0).toBe(true);
  });
});

test("cells of any clipboard can be pasted as text, or are none", () => {
  const names = ["cellKind", "source", "language", "metadata", "count", "outputs", "kind", "code", "markdown", "stream", "data"];
  const cell = '[{"cellKind":"code","source":"1","language":"python","metadata":{},"count":1,"outputs":[{"kind":"result","data":{"text/plain":"1"}}]}]';
  fuzz(3000, (draw) => {
    const cells = parse(draw(2) === 0 ? mutate([cell], draw) : JSON.stringify(randomJSON(names, text, draw)));
    if (cells) expect(plain(cells).length).toBeGreaterThanOrEqual(0);
  });
});

test("a terminal's text has no control characters once it is read, and all of the rest", () => {
  fuzz(5000, (draw) => {
    const line = mutate(terminal, draw);
    const { spans, style } = parseLine(line, plainStyle);
    const shown = spans.map((span) => span.text).join("");
    expect(shown).toBe(withoutSequences(line));
    // oxlint-disable-next-line no-control-regex
    expect(shown).not.toMatch(/[\x00-\x08\x0b-\x1a\x1b-\x1f\x7f-\x9f]/);
    expect(styleAfter(line, plainStyle)).toEqual(style);
    for (const span of spans) {
      expect(span.text).not.toBe("");
      if (span.style.href !== undefined) expect(span.style.href).toMatch(/^https?:\/\//);
      for (const color of [span.style.color, span.style.background].flat())
        if (color !== undefined) expect(Number.isInteger(color) && color >= 0 && color <= 255).toBe(true);
    }
  });
});

test("the pieces of a text are the text, and its links lead to the web", () => {
  fuzz(5000, (draw) => {
    const line = mutate(text, draw);
    const pieces = piecesOf(line);
    expect(pieces.map((piece) => piece.text).join("")).toBe(line);
    for (const piece of pieces) if (piece.kind === "link") expect(piece.href).toMatch(/^https?:\/\//);
  });
});

test("a picture has a size that can be, or none", () => {
  const pictures = [
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
    "R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==",
    "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAARCAABAAEDASIAAhEBAxEB",
  ];
  fuzz(5000, (draw) => {
    const size = sizeOfImage(pick(["image/png", "image/gif", "image/jpeg", "image/webp", ""], draw), mutate(pictures, draw));
    if (size) for (const pixels of [size.width, size.height]) expect(Number.isInteger(pixels) && pixels > 0 && pixels < 1e6).toBe(true);
  });
});

test("a picture in SVG weighs no less than it has elements, and as often as they are used", () => {
  const pictures = [
    '<svg xmlns="http://www.w3.org/2000/svg"><g id="a"><rect id="b" width="1"/><circle/></g><use href="#a"/><use href="#b"/></svg>',
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><!-- c --><g id="a"/><use xlink:href="#a"/><![CDATA[<x>]]></svg>',
    "<svg xmlns='http://www.w3.org/2000/svg'><g id='a'><use href='#b'/></g><g id='b'><use href='#a'/><path d='M0 0'/></g></svg>",
  ];
  fuzz(500, (draw) => {
    const source = mutate(pictures, draw);
    const { shapes } = weightOf(source);
    expect(shapes).toBeGreaterThanOrEqual(0);
    const root = new DOMParser().parseFromString(source, "image/svg+xml").documentElement;
    if (root.querySelector("parsererror") ?? root.localName === "parsererror") return;
    expect(shapes).toBeGreaterThanOrEqual(root.querySelectorAll("*").length + 1);
  });
});

test("a folded trace has all lines in their order", () => {
  const lines = [
    '  File "/usr/lib/python3.11/site-packages/a.py", line 3, in f',
    "Cell In[1], line 2",
    "    ----> 1 f()",
    "Traceback (most recent call last):",
    "ValueError: x",
    "  [Previous line repeated 995 more times]",
    "File ~/a.py:3, in f(x)",
    "      1 x",
    "<ipython-input-1-abc> in g()",
    "",
    ...terminal,
  ];
  fuzz(3000, (draw) => {
    const trace = Array.from({ length: draw(40) }, () => mutate(lines, draw));
    const parts = foldTrace(trace);
    expect(parts.flatMap((part) => part.lines)).toEqual(trace);
    for (const part of parts) expect(part.folded ? part.frames >= 1 : part.frames === 0).toBe(true);
  });
});

test("nothing of any Markdown is more than to be looked at", () => {
  fuzz(150, (draw) => {
    const nodes = nodesOf(mutate(hostile, draw));
    expect(activeIn(nodes)).toEqual([]);
    const box = document.createElement("div");
    box.append(nodes);
    expect(activeIn(new DOMParser().parseFromString(box.innerHTML, "text/html").body)).toEqual([]);
  });
});

test("any value is a tree, whose rows have names of their own", () => {
  fuzz(1500, (draw) => {
    const value = randomJSON(["a", "b c", "0", "__proto__", "#1-2"], text, draw, 5);
    const open = new Set<string>();
    for (let rows = rowsOf(value, open); ; rows = rowsOf(value, open)) {
      expect(new Set(rows.map((row) => row.key)).size).toBe(rows.length);
      for (const row of rows) expect(previewOf(row.value).length).toBeLessThan(15_000);
      const shut = rows.filter((row) => row.branch && !open.has(row.key));
      if (shut.length === 0 || rows.length > 500) break;
      for (const row of shut) open.add(row.key);
    }
  });
});

test("any data of an output is shown by one of its types, or not at all", () => {
  const types = ["text/plain", "text/html", "image/png", "application/json", "application/x+json", "text/x", "Text/HTML; charset=x", "", "*", "__proto__"];
  fuzz(3000, (draw) => {
    const data = Object.fromEntries(Array.from({ length: draw(5) }, () => [pick(types, draw), randomJSON(types, text, draw, 2)]));
    const shown = prefer(data);
    if (shown) expect(data[shown.type]).toEqual(shown.value);
    expect(shown ?? preferStored({ kind: "display", data })).toEqual(shown);
  });
});

test("what a browser has kept is read as far as it can be", () => {
  fuzz(2000, (draw) => {
    const kept = draw(2) === 0 ? mutate(stored, draw) : JSON.stringify(randomJSON(["id", "message", "source", "used", "cells"], text, draw));
    for (const name of ["quire.refused.n", "quire.folds.n"]) localStorage.setItem(name, kept);
    for (const { id, message } of new RefusalStore("n").list()) expect([typeof id, typeof message]).toEqual(["string", "string"]);
    for (const fold of keptFolds("n").values()) for (const part of Object.values(fold)) expect(typeof part).toBe("boolean");
  });
});

test("any address is a page, and is written as one that leads to the same", () => {
  const paths = ["/", "/nb/abc", "/nb/abc/title", "/nb/a%2Fb/%E2%82%AC", "/nb//x", "/nb/%", "/x"];
  const queries = ["", "?q=a&sort=title&order=asc", "?deleted=1", "?q=%", "?sort=x&order=y"];
  fuzz(5000, (draw) => {
    const address = URL.parse(mutate(paths, draw) + mutate(queries, draw), "https://example.com");
    const route = parseRoute(address ?? { pathname: "", search: "" });
    if (route.page === "missing") return;
    expect(parseRoute(new URL(addressOf(route), "https://example.com"))).toEqual(route);
  });
});

test("a name is on one line, with something to be seen in it", () => {
  const names = ["Title", "\u202eelif", "a\u200bb", "\u2028", "\u{e0041}", "  ", "日本", "é"];
  fuzz(5000, (draw) => {
    const shown = printable(mutate(names, draw));
    expect(shown).toMatch(/\S/);
    expect(shown).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/u);
    expect(printable(shown)).toBe(shown);
  });
});
