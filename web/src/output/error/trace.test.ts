// @vitest-environment node
import { expect, test } from "vitest";
import { withoutSequences } from "../log/ansi.js";
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

/** Describes each part: its folded frames, or its open places. */
function outline(lines: readonly string[]): readonly string[] {
  return foldTrace(lines).map(({ folded, frames, library, lines: shown }) =>
    folded
      ? `${frames} folded${library ? " of libraries" : ""}`
      : shown
          .map(withoutSequences)
          .filter((line) => /\bline \d|:\d+|<ipython/.test(line))
          .map((line) => line.trim())
          .join("; "),
  );
}

test("one's own frames are shown, and those of libraries are folded", () => {
  expect(foldTrace(trace)).toEqual([
    { folded: false, frames: 0, library: false, lines: trace.slice(0, 6) },
    { folded: true, frames: 2, library: true, lines: trace.slice(6, 10) },
    { folded: false, frames: 0, library: false, lines: trace.slice(10) },
  ]);
});

test("a file beside the notebook is one's own, wherever it is", () => {
  expect(
    outline([
      '  File "/home/ada/project/beside.py", line 3, in load',
      "    return f()",
      '  File "/home/ada/project/.venv/lib/python3.12/site-packages/numpy/x.py", line 9',
      "    g()",
      '  File "pandas/_libs/lib.pyx", line 2924, in map_infer',
      '  File "<frozen importlib._bootstrap>", line 1, in _find',
      "ValueError",
    ]),
  ).toEqual(['File "/home/ada/project/beside.py", line 3, in load', "3 folded of libraries", ""]);
  expect(outline(['  File "C:\\Python312\\Lib\\json\\decoder.py", line 1', "    x", '  File "C:\\work\\a.py", line 2', "    y"])).toEqual([
    "1 folded of libraries",
    'File "C:\\work\\a.py", line 2',
  ]);
});

test("if all frames are of libraries the last one is shown", () => {
  const lines = ['  File "/usr/lib/python3.11/a.py", line 1', "    a", '  File "/usr/lib/python3.11/b.py", line 2', "    b", "ValueError"];
  expect(outline(lines)).toEqual(["1 folded of libraries", 'File "/usr/lib/python3.11/b.py", line 2']);
});

test("a library between one's own frames is folded where it is, in the cause too", () => {
  const lines = [
    "Traceback (most recent call last):",
    '  File "/usr/lib/python3/dist-packages/pandas/core/indexes/base.py", line 3802, in get_loc',
    "    return self._engine.get_loc(casted_key)",
    "KeyError: 'b'",
    "",
    "The above exception was the direct cause of the following exception:",
    "Traceback (most recent call last):",
    "  Cell In[11], line 1",
    "    pd.Series([1, 0]).apply(half)",
    '  File "/usr/lib/python3/dist-packages/pandas/core/series.py", line 4771, in apply',
    "    return SeriesApply(self, func).apply()",
    "  Cell In[1], line 2, in half",
    "    return 1 / x",
    "ZeroDivisionError: division by zero",
  ];
  expect(outline(lines)).toEqual(["", "1 folded of libraries", "Cell In[11], line 1", "1 folded of libraries", "Cell In[1], line 2, in half"]);
});

test("of a program that calls itself the beginning and the end are shown, and how many are between", () => {
  const again = Array.from({ length: 3000 }, (_, i) => [`  Cell In[2], line ${2 + (i % 2) * 2}, in f`, "    return g()", "           ^^^"]).flat();
  const lines = ["Traceback (most recent call last):", "  Cell In[2], line 9", "    f()", ...again, "RecursionError: too deep"];
  const parts = foldTrace(lines);
  expect(parts.map((part) => part.frames)).toEqual([0, 2996, 0]);
  expect(parts[0]?.lines).toEqual(lines.slice(0, 3));
  expect(parts[2]?.lines.length).toBe(4 * 3 + 1);
});

test("frames that the language left out are counted with the one before them", () => {
  const lines = [
    '  File "/usr/lib/python3.11/copy.py", line 1, in f',
    "    f()",
    "  [Previous line repeated 987 more times]",
    '  File "/usr/lib/python3.11/copy.py", line 2, in g',
    "    g()",
    "  … 1,000 frames not shown …",
    "  Cell In[1], line 1",
    "    f()",
  ];
  expect(outline(lines)).toEqual(["1989 folded of libraries", "Cell In[1], line 1"]);
});

test("frames as IPython writes them are frames, with their numbered lines", () => {
  const lines = [
    "\x1b[0;31m----------------\x1b[0m",
    "\x1b[0;31mZeroDivisionError\x1b[0m      Traceback (most recent call last)",
    "Cell \x1b[0;32mIn [11], line 1\x1b[0m",
    "\x1b[0;32m----> 1\x1b[0m pd.Series([1, 0]).apply(half)",
    "",
    "File \x1b[0;32m/usr/lib/python3/dist-packages/pandas/core/series.py:4771\x1b[0m, in \x1b[0;36mSeries.apply\x1b[0;34m(self, func)\x1b[0m",
    "\x1b[1;32m   4661\x1b[0m def apply(",
    "   (...)",
    "\x1b[0;32m-> 4771\x1b[0m     return SeriesApply(self).apply()",
    "File \x1b[0;32m~/project/beside.py:5\x1b[0m, in \x1b[0;36mtwice\x1b[0;34m(f)\x1b[0m",
    "\x1b[0;32m----> 5\x1b[0m     return f(), f()",
    "Cell \x1b[0;32mIn [1], line 2\x1b[0m, in \x1b[0;36mhalf\x1b[0;34m(x)\x1b[0m",
    "\x1b[0;32m----> 2\x1b[0m     return 1 / x",
    "    [... skipping similar frames: a at line 2 (1484 times), b at line 4 (2 times)]",
    "ZeroDivisionError: division by zero",
  ];
  expect(outline(lines)).toEqual([
    "Cell In [11], line 1",
    "1 folded of libraries",
    "File ~/project/beside.py:5, in twice(f); Cell In [1], line 2, in half(x); [... skipping similar frames: a at line 2 (1484 times), b at line 4 (2 times)]",
  ]);
  const old = [
    "<ipython-input-2-0f6d> in <module>",
    "----> 1 half(0)",
    "",
    "/usr/lib/python3.8/json/decoder.py in decode(self)",
    "    336 ",
    "--> 337     obj",
    "<ipython-input-1-aa> in half(x)",
    "----> 2     return",
    "ValueError: no",
  ];
  expect(outline(old)).toEqual(["<ipython-input-2-0f6d> in <module>", "1 folded of libraries", "<ipython-input-1-aa> in half(x)"]);
});

test("a trace without frames, and one of another shape, is shown whole", () => {
  expect(foldTrace(["SyntaxError: no"])).toEqual([{ folded: false, frames: 0, library: false, lines: ["SyntaxError: no"] }]);
  expect(foldTrace(["    at f (x.js:1:2)", "    at g (x.js:3:4)"]).every((part) => !part.folded)).toBe(true);
  expect(foldTrace([])).toEqual([]);
});

test("the frames of a cause and of a group are frames", () => {
  const group = [
    "  | Traceback (most recent call last):",
    "  |   Cell In[1], line 2",
    "  |     f()",
    "  | ValueError: one",
    "  +------------------------------------",
  ];
  expect(sectionsOf(group).map((section) => [section.kind, section.own, section.lines.length])).toEqual([
    ["text", false, 1],
    ["frame", true, 2],
    ["text", false, 2],
  ]);
});
