import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Session } from "./session.js";

let status = 200;

function answer(): Promise<Response> {
  if (status === 0) return Promise.reject(new TypeError("fetch failed"));
  return Promise.resolve(Response.json({ actor: "person:owner", owner: true }, { status }));
}

beforeEach(() => {
  status = 200;
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

/** Returns a session after answers with statuses. */
async function sessionAfter(...statuses: readonly number[]): Promise<Session> {
  const session = new Session({ fetch: answer });
  for (status of statuses) await session.ask();
  return session;
}

test("it learns who one is", async () => {
  expect((await sessionAfter(200)).me()).toEqual({ actor: "person:owner", owner: true });
});

test.each([
  [[200], "here"],
  [[401], "signed-out"],
  [[0], "unreachable"],
  [[502], "unreachable"],
  [[500], "here"],
  [[0, 404], "here"],
  [[0, 401], "signed-out"],
  [[401, 0], "signed-out"],
  [[401, 429], "signed-out"],
  [[401, 200], "here"],
] as const)("after answers %j one is %s", async (statuses, want) => {
  expect((await sessionAfter(...statuses)).standing()).toBe(want);
});

test("what a socket hears counts too", async () => {
  const session = await sessionAfter(200);
  session.signOut();
  expect(session.standing()).toBe("signed-out");
});

test.each([401, 0])("after %i it asks every few seconds until the answer is good", async (bad) => {
  status = bad;
  const session = new Session({ fetch: answer });
  const stop = session.start();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(session.standing()).not.toBe("here");
  status = 200;
  await vi.advanceTimersByTimeAsync(3_000);
  expect(session.standing()).toBe("here");
  stop();
});

test("it asks at once when one comes back to the page", async () => {
  status = 401;
  const session = new Session({ fetch: answer });
  const stop = session.start();
  await vi.advanceTimersByTimeAsync(1);
  status = 200;
  window.dispatchEvent(new Event("focus"));
  await vi.advanceTimersByTimeAsync(1);
  expect(session.standing()).toBe("here");
  stop();
});

test("it asks no more while all is well, nor once it is stopped", async () => {
  let asked = 0;
  const session = new Session({ fetch: () => (asked++, answer()) });
  const stop = session.start();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toBe(1);
  stop();
  session.signOut();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toBe(1);
});
