import { expect, test } from "vitest";
import { play } from "./lib/explorer/play.js";
import { describe, scenario } from "./lib/explorer/scenario.js";
import { pair } from "./lib/pair.js";

const both = pair();
const first = Number(process.env["SEED"] ?? 1);
const count = Number(process.env["SEEDS"] ?? 10);

test(`typing is not disturbed by another user, seeds ${first} to ${first + count - 1}`, { timeout: 60_000 * count }, async () => {
  const failures: string[] = [];
  for (let seed = first; seed < first + count; seed++) {
    const one = scenario(seed);
    try {
      await play(both(), one);
      const faults = both().faults();
      if (faults.length > 0) throw new Error(faults.join("; "));
    } catch (reason) {
      const failure = `${describe(one)}\n  ${String(reason)}`;
      console.log(failure);
      failures.push(failure);
    }
  }
  expect(failures.join("\n")).toBe("");
});
