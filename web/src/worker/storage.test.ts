// @vitest-environment node
import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Flush, openStorage, type Storage } from "./storage.js";
import { result, type Row, stores } from "./storageDatabase.js";
import type { Channel, Locks } from "./storageLocks.js";

const day = 24 * 3600 * 1000;

/** Browser is a database and locks that outlive the workers. */
class Browser {
  readonly indexedDB = new IDBFactory();
  now = 1_000 * day;
  #held = new Map<string, () => void>();
  readonly #channels = new Set<Channel>();

  /** Clears the locks as a browser does that clears the data of the site: earlier locks are invisible. */
  clearLocks(): void {
    this.#held = new Map();
  }

  /** Returns the storage of a worker, and a function that ends the worker. */
  async worker(): Promise<{ storage: Storage; die: () => void }> {
    const channel: Channel = {
      postMessage: (data) => {
        for (const other of this.#channels) if (other !== channel) queueMicrotask(() => other.onmessage?.(new MessageEvent("message", { data })));
      },
      onmessage: null,
    };
    this.#channels.add(channel);
    const mine = new Set<string>();
    const locks: Locks = {
      request: async (name, _, held) => {
        const all = this.#held;
        if (all.has(name)) return held(null);
        const killed = new Promise<void>((die) => all.set(name, die));
        mine.add(name);
        await Promise.race([killed, held({})]);
        all.delete(name);
      },
      query: async () => ({ held: [...this.#held.keys()].map((name) => ({ name })) }),
    };
    const storage = await openStorage({ indexedDB: this.indexedDB, locks, channel, now: () => this.now });
    const die = (): void => {
      this.#channels.delete(channel);
      for (const name of mine) {
        this.#held.get(name)?.();
        this.#held.delete(name);
      }
    };
    return { storage, die };
  }

  /** Returns the clients of the stored replicas. */
  async stored(): Promise<readonly string[]> {
    const db = await result(this.indexedDB.open("quire", 1));
    const rows: readonly Row[] = await result(db.transaction(stores.replicas).objectStore(stores.replicas).getAll());
    db.close();
    return rows.map((row) => row.client);
  }
}

const flush = (seq: number, more: Partial<Flush> = {}): Flush => ({ state: `state ${seq}`, events: [], seq, pending: 0, ...more });
const whole = (seq: number, more: Partial<Flush> = {}): Flush => flush(seq, { snapshot: `snapshot ${seq}`, ...more });

/** Stores one flush of a new replica, and ends its worker. */
async function left(browser: Browser, notebook: string, client: string, of: Flush): Promise<void> {
  const { storage, die } = await browser.worker();
  expect(await storage.hold(notebook, client)).toBe(true);
  expect(await storage.save(notebook, client, of)).toBe(true);
  die();
}

let browser: Browser;

beforeEach(() => {
  vi.stubGlobal("IDBKeyRange", IDBKeyRange);
  browser = new Browser();
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test("a replica is taken over as its flushes left it, when its worker has ended", async () => {
  const { storage, die } = await browser.worker();
  await storage.hold("n", "c");
  await storage.save("n", "c", whole(1));
  await storage.save("n", "c", flush(3, { events: ["two", "three"] }));
  await storage.save("n", "c", flush(3, { pending: 2, state: "typed" }));
  await storage.save("n", "c", flush(4, { events: ["four"] }));
  const next = await browser.worker();
  expect(await next.storage.claim("n")).toBeUndefined();
  die();
  expect(await next.storage.claim("other")).toBeUndefined();
  expect(await next.storage.claim("n")).toEqual({ client: "c", state: "state 4", snapshot: "snapshot 1", events: ["two", "three", "four"] });
  expect(await (await browser.worker()).storage.claim("n")).toBeUndefined();
  expect(next.storage.state()).toEqual({ kind: "stored" });
});

test("more chunks of events than have one digit stay in order, and go on after a restart", async () => {
  await left(browser, "n", "c", whole(0));
  const want: string[] = [];
  for (let life = 0; life < 3; life++) {
    const { storage, die } = await browser.worker();
    expect((await storage.claim("n"))?.events).toEqual(want);
    for (let i = 0; i < 12; i++) {
      want.push(`${life}.${i}`);
      await storage.save("n", "c", flush(want.length, { events: [`${life}.${i}`] }));
    }
    die();
  }
  expect((await (await browser.worker()).storage.claim("n"))?.events).toEqual(want);
});

test("a snapshot takes the place of all events before it", async () => {
  const { storage, die } = await browser.worker();
  await storage.hold("n", "c");
  await storage.save("n", "c", whole(1, { events: ["old"] }));
  await storage.save("n", "c", whole(5, { events: ["new"] }));
  await storage.hold("n", "cc");
  await storage.save("n", "cc", whole(2, { events: ["another's"] }));
  die();
  expect(await (await browser.worker()).storage.claim("n")).toEqual({ client: "c", state: "state 5", snapshot: "snapshot 5", events: ["new"] });
});

test("a replica with something pending is taken over before one that knows more", async () => {
  await left(browser, "n", "ahead", whole(9));
  await left(browser, "n", "typed", whole(2, { pending: 1 }));
  const { storage } = await browser.worker();
  expect((await storage.claim("n"))?.client).toBe("typed");
  expect((await storage.claim("n"))?.client).toBe("ahead");
});

test("a replica that another has beaten is removed, unless something is pending or its worker lives", async () => {
  await left(browser, "n", "beaten", whole(3));
  await left(browser, "n", "best", whole(7));
  await left(browser, "n", "further", whole(8, { pending: 1 }));
  await left(browser, "other", "elsewhere", whole(1));
  const alive = await browser.worker();
  await alive.storage.hold("n", "alive");
  await alive.storage.save("n", "alive", whole(2));
  const { storage } = await browser.worker();
  expect((await storage.claim("n"))?.client).toBe("further");
  expect(await browser.stored()).toEqual(["alive", "further", "elsewhere"]);
});

test("a replica that nobody used for 30 days is removed, unless something is pending", async () => {
  await left(browser, "n", "old", whole(3));
  await left(browser, "n", "typed", whole(3, { pending: 1 }));
  browser.now += 29 * day;
  await left(browser, "m", "young", whole(3));
  await left(browser, "m2", "mine", whole(3));
  browser.now += 2 * day;
  const { storage } = await browser.worker();
  await storage.claim("m2");
  expect(await browser.stored()).toEqual(["young", "mine", "typed"]);
});

test("old replicas are removed though there is none to take over", async () => {
  await left(browser, "n", "old", whole(3));
  browser.now += 31 * day;
  expect(await (await browser.worker()).storage.claim("m")).toBeUndefined();
  expect(await browser.stored()).toEqual([]);
});

test("a flush that follows nothing is not stored", async () => {
  const { storage, die } = await browser.worker();
  await storage.hold("n", "c");
  expect(await storage.save("n", "c", flush(2, { events: ["two"] }))).toBe(false);
  expect(storage.state()).toEqual({ kind: "stored" });
  expect(await storage.save("n", "c", whole(2))).toBe(true);
  await storage.forget("n", "c");
  expect(await browser.stored()).toEqual([]);
  expect(await storage.save("n", "c", whole(2))).toBe(false);
  die();
});

test("who was let go of stays stored and can be taken over", async () => {
  const { storage } = await browser.worker();
  await storage.hold("n", "c");
  await storage.save("n", "c", whole(1));
  storage.release("n", "c");
  expect(await storage.save("n", "c", whole(2))).toBe(false);
  expect((await (await browser.worker()).storage.claim("n"))?.state).toBe("state 1");
  expect(await storage.hold("n", "c")).toBe(false);
});

test("what is pending is written through to the disk, and what the server has as well is not", async () => {
  const { storage } = await browser.worker();
  await storage.hold("n", "c");
  const db = await storage.open();
  if (!db) throw new Error("want a database");
  const transaction = vi.spyOn(db, "transaction");
  await storage.save("n", "c", whole(1, { pending: 1 }));
  await storage.save("n", "c", flush(1));
  expect(transaction.mock.calls.map(([, , options]) => options?.durability)).toEqual(["strict", "relaxed"]);
});

test("a browser without storage, or with one that is broken, is said to store nothing", async () => {
  const locks: Locks = { request: (_, __, held) => held({}), query: async () => ({}) };
  const broken = new IDBFactory();
  vi.spyOn(broken, "open").mockImplementation(() => {
    throw new DOMException("A mutation operation was attempted on a database that did not allow mutations.", "InvalidStateError");
  });
  for (const [lent, reason] of [
    [{ locks }, "this browser has no storage for this page"],
    [{ indexedDB: new IDBFactory() }, "this browser stores only for pages that come by https or from this machine"],
    [{ indexedDB: broken, locks }, "A mutation operation was attempted on a database that did not allow mutations."],
  ] as const) {
    const storage = await openStorage(lent);
    expect(storage.state()).toEqual({ kind: "off", reason });
    expect(await storage.hold("n", "c")).toBe(false);
    expect(await storage.save("n", "c", whole(1))).toBe(false);
    expect(await storage.claim("n")).toBeUndefined();
    storage.close();
  }
});

test("a browser that never opens its storage is not waited for", async () => {
  vi.useFakeTimers();
  try {
    const stuck = new IDBFactory();
    vi.spyOn(stuck, "open").mockImplementation(() => new EventTarget() as never);
    const opening = openStorage({ indexedDB: stuck, locks: { request: async () => undefined, query: async () => ({}) } });
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await opening).state()).toEqual({ kind: "off", reason: "the browser does not open its storage" });
  } finally {
    vi.useRealTimers();
  }
});

test("a database that the browser opens too late is closed, so that it does not keep one who signs out from removing it", async () => {
  vi.useFakeTimers();
  try {
    const slow = new IDBFactory();
    const opening: { onsuccess?: () => void; result: { close: () => void } } = { result: { close: vi.fn<() => void>() } };
    vi.spyOn(slow, "open").mockImplementation(() => opening as never);
    const opened = openStorage({ indexedDB: slow, locks: { request: async () => undefined, query: async () => ({}) } });
    await vi.advanceTimersByTimeAsync(5_000);
    await opened;
    opening.onsuccess?.();
    expect(opening.result.close).toHaveBeenCalledOnce();
  } finally {
    vi.useRealTimers();
  }
});

/** Makes the next writes of replicas fail as on a full disk. */
function fillDisk(db: IDBDatabase, times: number): void {
  const transaction = db.transaction.bind(db);
  vi.spyOn(db, "transaction").mockImplementation((names, mode, options) => {
    if (Array.isArray(names) && mode === "readwrite" && times-- > 0) throw new DOMException("full", "QuotaExceededError");
    return transaction(names, mode, options);
  });
}

test("on a full disk what the server has as well makes room", async () => {
  await left(browser, "other", "read", whole(1));
  await left(browser, "other", "typed", whole(1, { pending: 1 }));
  const { storage } = await browser.worker();
  await storage.hold("n", "c");
  const db = await storage.open();
  if (db) fillDisk(db, 1);
  expect(await storage.save("n", "c", whole(1))).toBe(true);
  expect(await browser.stored()).toEqual(["c", "typed"]);
  expect(storage.state()).toEqual({ kind: "stored" });
});

test("a disk that stays full is told, and so is that it has room again", async () => {
  const { storage } = await browser.worker();
  const states: string[] = [];
  const end = storage.onState((state) => states.push(state.kind === "off" ? state.reason : state.kind));
  await storage.hold("n", "c");
  const db = await storage.open();
  if (db) fillDisk(db, 2);
  expect(await storage.save("n", "c", whole(1))).toBe(false);
  expect(await storage.save("n", "c", whole(1))).toBe(true);
  end();
  storage.close();
  expect(states).toEqual(["the disk space that the browser gives this page is used up", "stored"]);
});

test("a database that the browser took away is opened again", async () => {
  const { storage } = await browser.worker();
  await storage.hold("n", "c");
  const db = await storage.open();
  db?.close();
  db?.onclose?.(new Event("close"));
  expect(storage.state()).toEqual({ kind: "off", reason: "the browser closed its storage" });
  expect(await storage.save("n", "c", whole(1))).toBe(true);
  expect(storage.state()).toEqual({ kind: "stored" });
});

test("a replica of a worker that lives is not taken over though its lock is not seen any more, and is once the worker has ended", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const old = await browser.worker();
    await old.storage.hold("n", "c");
    const db = await old.storage.open();
    db?.close();
    db?.onclose?.(new Event("close"));
    browser.clearLocks();
    expect(await old.storage.save("n", "c", whole(1, { pending: 1 }))).toBe(true);
    const { storage } = await browser.worker();
    expect(await storage.claim("n")).toBeUndefined();
    expect(await storage.take("n", "c")).toBeUndefined();
    expect(await old.storage.save("n", "c", whole(2, { pending: 1 }))).toBe(true);
    old.die();
    const claimed = storage.claim("n");
    let done = false;
    void claimed.then(() => (done = true));
    while (!done) await vi.advanceTimersByTimeAsync(100);
    expect((await claimed)?.state).toBe("state 2");
  } finally {
    vi.useRealTimers();
  }
});

test("a page that is older than the database says so", async () => {
  const { storage } = await browser.worker();
  await storage.hold("n", "c");
  const upgraded = await result(browser.indexedDB.open("quire", 2));
  const newer = { kind: "off", reason: "a newer version of this page is open in another tab; reload this one" };
  expect(storage.state()).toEqual(newer);
  expect(await storage.save("n", "c", whole(1))).toBe(false);
  expect(storage.state()).toEqual(newer);
  upgraded.close();
});

test("a notebook that is erased is removed with what others hold and what waits to be sent, and stored no more", async () => {
  await left(browser, "n", "pending", whole(1, { pending: 2, events: ["e"] }));
  await left(browser, "other", "c", whole(1));
  const holder = await browser.worker();
  await holder.storage.hold("n", "held");
  await holder.storage.save("n", "held", whole(1));
  const { storage } = await browser.worker();
  await storage.hold("n", "mine");
  await storage.save("n", "mine", whole(1));
  await storage.erase("n");
  expect(await browser.stored()).toEqual(["c"]);
  expect(await storage.save("n", "mine", whole(2))).toBe(false);
  expect(await browser.stored()).toEqual(["c"]);
  const db = await result(browser.indexedDB.open("quire", 1));
  for (const name of [stores.snapshots, stores.events]) {
    const keys = await result(db.transaction(name).objectStore(name).getAllKeys());
    expect(JSON.stringify(keys)).not.toContain('"n"');
  }
  db.close();
});
