// @vitest-environment node
import { expect, test } from "vitest";
import { MessageLimit } from "./messageLimit.js";

/** Returns the number of accepted messages at a rate for some seconds. */
function taken(perSecond: number, seconds: number): number {
  const limit = new MessageLimit();
  let count = 0;
  for (let i = 0; i < perSecond * seconds; i++) if (limit.take((i * 1000) / perSecond)) count++;
  return count;
}

test("a frame that says its height with every picture may do so for ever", () => {
  expect(taken(144, 600)).toBe(144 * 600);
});

test("a frame that talks without end is cut off, and stays so", () => {
  expect(taken(100_000, 2)).toBeLessThan(1500);
  const limit = new MessageLimit();
  while (limit.take(0));
  expect(limit.take(1_000_000)).toBe(false);
});

test("a page that was busy reads what has come together", () => {
  const limit = new MessageLimit();
  for (let i = 0; i < 600; i++) expect(limit.take(10_000)).toBe(true);
});

test("messages that take long to read are few, and a pause of the machine is none", () => {
  const limit = new MessageLimit();
  let count = 0;
  while (limit.take(0) && limit.took(0, 5000)) count++;
  expect(count).toBeGreaterThan(1);
  expect(count).toBeLessThan(5);
});
