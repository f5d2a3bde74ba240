// @vitest-environment node
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Scheduler } from "./scheduler.js";

let frames: (() => void)[];
beforeEach(() => {
  frames = [];
  vi.stubGlobal("requestAnimationFrame", (f: () => void) => frames.push(f));
});
afterEach(() => void vi.unstubAllGlobals());

/** Runs a requested paint. Code that waits for it runs in a later task. */
async function paint(): Promise<void> {
  await expect.poll(() => frames).not.toEqual([]);
  for (const f of frames.splice(0)) f();
}

test("the first is done at once, and the others one for each paint, in their order", async () => {
  const done: string[] = [];
  const scheduler = new Scheduler();
  for (const name of ["a", "b", "c"]) scheduler.schedule(() => done.push(name));
  expect(done).toEqual(["a"]);
  await paint();
  await expect.poll(() => done).toEqual(["a", "b"]);
  await paint();
  await expect.poll(() => done).toEqual(["a", "b", "c"]);
  await paint();
  scheduler.schedule(() => done.push("d"));
  await expect.poll(() => done).toEqual(["a", "b", "c", "d"]);
});

test("who gave its turn up is passed over", async () => {
  const done: string[] = [];
  const scheduler = new Scheduler();
  scheduler.schedule(() => done.push("a"));
  const giveUp = scheduler.schedule(() => done.push("b"));
  scheduler.schedule(() => done.push("c"));
  giveUp();
  await paint();
  await expect.poll(() => done).toEqual(["a", "c"]);
});
