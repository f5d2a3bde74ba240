import { expect, test } from "vitest";
import { scrollTo, windowOf } from "./lineWindow.js";

const view = { lines: 100_000, lineHeight: 20, height: 400, scrollTop: 0 };

test("the lines that are seen are there, and some around them", () => {
  expect(windowOf(view)).toEqual({ start: 0, end: 37, top: 0, height: 2_000_000 });
  expect(windowOf({ ...view, scrollTop: 20_010 })).toEqual({ start: 984, end: 1037, top: 19_680, height: 2_000_000 });
  expect(windowOf({ ...view, scrollTop: 1_999_600 })).toMatchObject({ start: 99_964, end: 100_000 });
});

test.each([10, 100_000, 5_000_000])("the end of %i lines is where one cannot scroll further", (lines) => {
  const scrollTop = Math.max(0, windowOf({ ...view, lines }).height - view.height);
  expect(windowOf({ ...view, lines, scrollTop: "end" })).toEqual(windowOf({ ...view, lines, scrollTop }));
});

test("a log that shrank under the view still shows its end", () => {
  expect(windowOf({ ...view, lines: 10, scrollTop: 50_000 })).toMatchObject({ start: 9, end: 10 });
});

test("five million lines can be scrolled from the first to the last", () => {
  const long = { ...view, lines: 5_000_000 };
  const { height } = windowOf(long);
  expect(height).toBe(8_000_000);
  const end = windowOf({ ...long, scrollTop: height - 400 });
  expect(end.end).toBe(5_000_000);
  expect(end.top + (end.end - end.start) * 20).toBeCloseTo(height, 3);
});

test.each([100, 100_000, 5_000_000])("scrolling to any of %i lines shows it", (lines) => {
  for (let i = 0; i <= 20; i++) {
    const line = Math.floor(((lines - 1) * i) / 20);
    const scrollTop = scrollTo(line, { ...view, lines });
    const { start, end, top } = windowOf({ ...view, lines, scrollTop });
    expect(start <= line && line < end).toBe(true);
    const y = top + (line - start) * 20;
    expect(y >= scrollTop - 1 && y <= scrollTop + 400).toBe(true);
  }
});
