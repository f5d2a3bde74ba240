/** Returns seeded random numbers below a bound. */
export function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below);
  };
}

/** Returns a short text with line ends, carriage returns and an emoji among its characters. */
export function randomText(below: (n: number) => number, most: number): string {
  const alphabet = ["a", "b", " ", "\n", "\r", "é", "日", "😀"];
  return Array.from({ length: below(most + 1) }, () => alphabet[below(alphabet.length)]).join("");
}
