import { random } from "../random.js";

/** Draw returns numbers from 0 up to a bound. */
export type Draw = (below: number) => number;

const marks = [
  "<",
  ">",
  '"',
  "'",
  "&",
  "\\",
  "/",
  "#",
  ":",
  ";",
  "$",
  "`",
  "*",
  "[",
  "]",
  "(",
  ")",
  "{",
  "}",
  "=",
  "|",
  "%",
  "\n",
  "\r",
  "\t",
  "\0",
  "\x1b",
  "\x1b[",
  "\x9b",
  "\x07",
  "m",
  "8;;",
  "0",
  "9".repeat(20),
  "-1",
  "e",
  "日",
  "😀",
  "\ud83d",
  "\u202e",
  "\u2028",
  "\ufeff",
];

/** Returns a text made from a corpus: with parts removed, doubled or inserted, and special characters. */
export function mutate(corpus: readonly string[], draw: Draw): string {
  let text = pick(corpus, draw);
  for (let steps = draw(6); steps >= 0; steps--) {
    const at = draw(text.length + 1);
    const length = draw(Math.min(text.length - at, 40) + 1);
    const [head, part, tail] = [text.slice(0, at), text.slice(at, at + length), text.slice(at + length)];
    text =
      head +
      [
        () => "",
        () => part + part,
        () => part + pick(marks, draw),
        () => partOf(pick(corpus, draw), draw),
        () => part.toUpperCase(),
        () => pick(marks, draw) + part,
      ][draw(6)]?.() +
      tail;
  }
  return text.slice(0, 20_000);
}

/** Returns any JSON value, with some of the given names. */
export function randomJSON(names: readonly string[], corpus: readonly string[], draw: Draw, depth = 4): unknown {
  const inner = (): unknown => randomJSON(names, corpus, draw, depth - 1);
  switch (draw(depth > 0 ? 9 : 6)) {
    case 0:
      return null;
    case 1:
      return draw(2) === 0;
    case 2:
      return [0, -1, 1.5, 1e308, 2 ** 53, draw(1000)][draw(6)];
    case 3:
    case 4:
      return mutate(corpus, draw);
    case 5:
      return pick(names, draw);
    case 6:
      return Array.from({ length: draw(4) }, inner);
    default:
      return Object.fromEntries(Array.from({ length: draw(6) }, () => [draw(4) === 0 ? mutate(corpus, draw) : pick(names, draw), inner()]));
  }
}

/** Returns an element of a list, which must not be empty. */
export function pick<T>(list: readonly T[], draw: Draw): T {
  const found = list[draw(list.length)];
  if (found === undefined) throw new Error("nothing to draw from");
  return found;
}

function partOf(text: string, draw: Draw): string {
  const at = draw(text.length + 1);
  return text.slice(at, at + draw(80));
}

/**
 * Calls f with seeded random numbers: a number of times, or for the duration FUZZTIME ("30s", "5m", "1h"), with another seed
 * each time. An error names its seed, and SEED repeats that one alone.
 */
export function fuzz(times: number, f: (draw: Draw) => void): void {
  const { FUZZTIME: time, SEED: only } = process.env;
  if (only !== undefined) return tryOne(Number(only), f);
  if (time === undefined) {
    for (let seed = 1; seed <= times; seed++) tryOne(seed, f);
    return;
  }
  const end = performance.now() + millisecondsOf(time);
  for (let seed = Math.floor(Math.random() * 2 ** 31); performance.now() < end; seed++) tryOne(seed, f);
}

function tryOne(seed: number, f: (draw: Draw) => void): void {
  try {
    f(random(seed));
  } catch (error) {
    throw new Error(`with SEED=${seed}`, { cause: error });
  }
}

function millisecondsOf(time: string): number {
  const [, count, unit = ""] = /^(\d+)([smh])$/.exec(time) ?? [];
  const factor = { s: 1000, m: 60_000, h: 3_600_000 }[unit];
  if (factor === undefined) throw new Error(`FUZZTIME is a number of seconds, minutes or hours, such as 30s, not ${time}`);
  return Number(count) * factor;
}
