// @vitest-environment node
import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Keeper, keeper, type Storing } from "./keeper.js";
import { openStorage, type Storage } from "./storage.js";
import type { Locks } from "./storageLocks.js";

/** Typed is a core with typed text that is not stored yet. */
class Typed implements Storing {
  reasons: string[] = [];
  saved = false;

  client = (): string => "c";
  flush = (): string | null => (this.saved ? null : JSON.stringify({ state: "typed", snapshot: "s", events: [], seq: 1, pending: 1 }));
  stored(ok: boolean): void {
    this.saved ||= ok;
  }
  unstored(reason: string): void {
    this.reasons.push(reason);
  }
}

/** Returns the storage of one worker. */
async function storage(): Promise<Storage> {
  const held = new Set<string>();
  const locks: Locks = {
    request: async (name, _, take) => {
      if (held.has(name)) return take(null);
      held.add(name);
      await take({});
      held.delete(name);
    },
    query: async () => ({ held: [...held].map((name) => ({ name })) }),
  };
  return openStorage({ indexedDB: new IDBFactory(), locks });
}

beforeEach(() => {
  vi.stubGlobal("IDBKeyRange", IDBKeyRange);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("what is typed is stored once the browser opens its storage again, which it does not while it clears it", async () => {
  const kept = await storage();
  const hold = vi.spyOn(kept, "hold").mockResolvedValueOnce(false).mockResolvedValueOnce(false);
  const core = new Typed();
  await new Keeper("n", kept, undefined).keep(core);
  expect(core.saved).toBe(false);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(core.saved).toBe(false);
  await vi.advanceTimersByTimeAsync(5_000);
  await vi.waitUntil(() => core.saved);
  expect(hold).toHaveBeenCalledTimes(3);
});

test("a browser that has no storage is said to store nothing", async () => {
  const core = new Typed();
  await new Keeper("n", await openStorage({}), undefined).keep(core);
  expect(core.reasons).toEqual(["this browser has no storage for this page"]);
});

test("what is kept is not waited for when the browser does not find it, and left to be sent when it does", async () => {
  const kept = await storage();
  let found: () => void = () => {};
  vi.spyOn(kept, "claim").mockReturnValue(new Promise((resolve) => (found = () => resolve({ client: "c", state: "", snapshot: "", events: [] }))));
  const release = vi.spyOn(kept, "release");
  const opening = keeper("n", Promise.resolve(kept));
  await vi.advanceTimersByTimeAsync(10_000);
  expect((await opening).json).toBe("");
  expect(release).not.toHaveBeenCalled();
  found();
  await vi.waitUntil(() => release.mock.calls.length > 0);
  expect(release).toHaveBeenCalledWith("n", "c");
});
