import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pauseAfter, retried } from "./retry.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("what fails is tried again with longer and longer pauses, and the failure is forgotten", async () => {
  const f = vi.fn(async (failures: number) => {
    if (failures < 3) throw new Error("away");
    return "here";
  });
  const done = retried(f);
  for (const pause of [250, 500]) {
    await vi.advanceTimersByTimeAsync(pause - 1);
    const calls = f.mock.calls.length;
    await vi.advanceTimersByTimeAsync(1);
    expect(f).toHaveBeenCalledTimes(calls + 1);
  }
  await vi.advanceTimersByTimeAsync(1000);
  await expect(done).resolves.toBe("here");
});

test("the pauses have a bound", () => {
  expect(pauseAfter(1)).toBe(250);
  expect(pauseAfter(100)).toBe(5000);
});

test("a pause ends when the browser is online again", async () => {
  const f = vi.fn(async (failures: number) => {
    if (failures === 0) throw new Error("offline");
    return "here";
  });
  const done = retried(f);
  await vi.advanceTimersByTimeAsync(0);
  dispatchEvent(new Event("online"));
  await expect(done).resolves.toBe("here");
});

test("what failed may be said to be final", async () => {
  const final = new Error("this browser cannot");
  const done = retried(
    async () => Promise.reject(final),
    (error) => {
      throw error;
    },
  );
  await expect(done).rejects.toBe(final);
});
