import { expect, test } from "vitest";
import { foldTrace, sectionsOf } from "./trace.js";

const trace = [
  "Traceback (most recent call last):",
  "  \x1b[32mCell In[2], line 1\x1b[0m",
  "    load('{')",
  "  \x1b[32mCell In[1], line 4\x1b[0m, in load",
  "    return json.loads(text)",
  "           \x1b[31m~~~~~~~~~~^^^^^^\x1b[0m",
  '  \x1b[34mFile "/usr/lib/python3/json/__init__.py", line 346\x1b[0m, in loads',
  "    return _default_decoder.decode(s)",
  '  \x1b[34mFile "/usr/lib/python3/json/decoder.py", line 337\x1b[0m, in decode',
  "    obj, end = self.raw_decode(s)",
  "\x1b[31mJSONDecodeError: Expecting property name\x1b[0m",
];

test("all frames are folded but the last one of a cell", () => {
  expect(foldTrace(trace)).toEqual([
    { folded: false, frames: 0, lines: trace.slice(0, 1) },
    { folded: true, frames: 1, lines: trace.slice(1, 3) },
    { folded: false, frames: 0, lines: trace.slice(3, 6) },
    { folded: true, frames: 2, lines: trace.slice(6, 10) },
    { folded: false, frames: 0, lines: trace.slice(10) },
  ]);
});

test("without a cell's frame the last one is shown", () => {
  const lines = ['  File "a.py", line 1', "    a", '  File "b.py", line 2', "    b", "ValueError"];
  expect(foldTrace(lines).map((part) => [part.folded, part.lines.length])).toEqual([
    [true, 2],
    [false, 3],
  ]);
});

test("a trace without frames, and one of another shape, is shown whole", () => {
  expect(foldTrace(["SyntaxError: no"])).toEqual([{ folded: false, frames: 0, lines: ["SyntaxError: no"] }]);
  expect(foldTrace(["    at f (x.js:1:2)", "    at g (x.js:3:4)"]).every((part) => !part.folded)).toBe(true);
  expect(foldTrace([])).toEqual([]);
});

test("the frames of a cause and of a group are frames", () => {
  const group = ["  | Traceback (most recent call last):", "  |   Cell In[1], line 2", "  |     f()", "  | ValueError: one", "  +------------------------------------"];
  expect(sectionsOf(group).map((section) => [section.kind, section.own, section.lines.length])).toEqual([
    ["text", false, 1],
    ["frame", true, 2],
    ["text", false, 2],
  ]);
});
