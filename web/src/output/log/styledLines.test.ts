// @vitest-environment node
import { expect, test } from "vitest";
import { Log } from "../../core/log.js";
import { parseLine, plainStyle } from "./ansi.js";
import { StyledLines } from "./styledLines.js";

/** A log that counts the requested lines. */
class Counting extends Log {
  asked = 0;

  override line(index: number): string {
    this.asked++;
    return super.line(index);
  }
}

/** Returns the spans of all lines, computed from the start. */
function slowly(log: Log): readonly unknown[] {
  let style = plainStyle;
  return Array.from({ length: log.lines }, (_, i) => {
    const parsed = parseLine(log.line(i), style);
    style = parsed.style;
    return parsed.spans;
  });
}

test("lines are in the style that lines before them began, whatever is asked first", () => {
  const log = new Log(Array.from({ length: 2000 }, (_, i) => (i % 97 === 0 ? `\x1b[${30 + (i % 8)}m${i}` : String(i))).join("\n"));
  const styled = new StyledLines(log);
  const want = slowly(log);
  for (const i of [1999, 0, 256, 255, 1024, 700]) expect(styled.lines(i, i + 1)[0]?.spans).toEqual(want[i]);
  expect(styled.lines(500, 800).map((line) => line.spans)).toEqual(want.slice(500, 800));
});

test("text that is taken away takes its style with it", () => {
  const log = new Log(`${"a\n".repeat(300)}\x1b[31m${"b\n".repeat(300)}`);
  const styled = new StyledLines(log);
  expect(styled.lines(599, 600)[0]?.spans[0]?.style).toEqual({ color: 1 });
  log.append(605, `${"c\n".repeat(300)}`);
  expect(styled.lines(599, 600)[0]?.spans[0]).toEqual({ text: "c", style: {} });
});

test("following the end of a log of 100,000 lines costs what is added", () => {
  const log = new Counting();
  const styled = new StyledLines(log);
  const screen = 40;
  let worst = 0;
  for (let i = 0; i < 100; i++) {
    log.append(0, "\x1b[32mok\x1b[0m a line\n".repeat(1000));
    log.asked = 0;
    styled.lines(log.shown - screen, log.shown);
    worst = Math.max(worst, log.asked);
  }
  expect(log.shown).toBe(100_000);
  expect(worst).toBeLessThan(1000 + 2 * 256 + screen);
});

test("a screen anywhere in a log that was read before costs a screen", () => {
  const log = new Counting("a line\n".repeat(100_000));
  const styled = new StyledLines(log);
  styled.lines(99_960, 100_000);
  log.asked = 0;
  styled.lines(50_000, 50_040);
  expect(log.asked).toBeLessThan(256 + 40);
});

test("a line that is very long is shown in part", () => {
  const log = new Log("x".repeat(10_000_000));
  const [line] = new StyledLines(log).lines(0, 1);
  expect(line?.spans[0]?.text.length).toBe(10_000);
  expect(line?.left).toBe(9_990_000);
});
