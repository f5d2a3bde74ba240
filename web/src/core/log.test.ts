// @vitest-environment node
import { expect, test } from "vitest";
import { Log } from "./log.js";

/** Returns seeded random numbers from 0 up to 1. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function lines(log: Log): readonly string[] {
  return Array.from({ length: log.lines }, (_, i) => log.line(i));
}

test("text becomes lines, and a line end begins another line", () => {
  const log = new Log("one\ntw");
  log.append(0, "o\n");
  expect(lines(log)).toEqual(["one", "two", ""]);
  expect(log.shown).toBe(2);
  expect(log.text()).toBe("one\ntwo\n");
  expect(log.length).toBe(8);
});

test("an empty log has one line with nothing on it", () => {
  expect(lines(new Log())).toEqual([""]);
  expect(new Log().shown).toBe(1);
  expect(new Log().line(5)).toBe("");
});

test("units are taken away across lines, and no more than there are", () => {
  const log = new Log("one\ntwo\nthree");
  log.append(7, "x");
  expect(lines(log)).toEqual(["one", "twx"]);
  log.append(3, "");
  expect(lines(log)).toEqual(["one", ""]);
  log.append(1, "");
  expect(lines(log)).toEqual(["one"]);
  log.append(100, "new\n");
  expect(lines(log)).toEqual(["new", ""]);
  expect(log.length).toBe(4);
});

test("a carriage return shows what comes after it, and the text keeps both", () => {
  const log = new Log("10%\r50%\r100%\nwindows\r\n\r\rx\n\r\nend\r\r");
  expect(lines(log)).toEqual(["100%", "windows", "x", "", "end"]);
  expect(log.text()).toBe("10%\r50%\r100%\nwindows\r\n\r\rx\n\r\nend\r\r");
});

test("a million lines are kept, and appended to", () => {
  const log = new Log("a line of output\n".repeat(1_000_000));
  expect(log.lines).toBe(1_000_001);
  log.append(0, "the end");
  expect(log.line(1_000_000)).toBe("the end");
  log.append(8, "!");
  expect(log.line(999_999)).toBe("a line of output!");
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])("any appends make the same text as a string, and lines before a change stay (seed %i)", (seed) => {
  const next = random(seed);
  const log = new Log();
  let text = "";
  let mark = log.mark();
  let before = lines(log);
  for (let step = 0; step < 300; step++) {
    const drop = next() < 0.4 ? Math.floor(next() * 12) : 0;
    const added = Array.from({ length: Math.floor(next() * 8) }, () => "ab\n\r"[Math.floor(next() * 4)]).join("");
    log.append(drop, added);
    text = text.slice(0, Math.max(0, text.length - drop)) + added;
    expect(log.text()).toBe(text);
    expect(log.length).toBe(text.length);
    if (next() < 0.7) continue;
    const same = log.changedSince(mark);
    expect(lines(log).slice(0, same)).toEqual(before.slice(0, same));
    mark = log.mark();
    before = lines(log);
  }
});

test("appending changes the last line alone", () => {
  const log = new Log("a\nb");
  const mark = log.mark();
  log.append(0, "c\nd\ne");
  expect(log.changedSince(mark)).toBe(1);
  log.append(1, "f");
  expect(log.changedSince(mark)).toBe(1);
  log.append(7, "");
  expect(log.changedSince(mark)).toBe(0);
});
