// @vitest-environment node
import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Refusal } from "../core/view.js";
import type { Lent } from "./core.js";
import { Orphans, type Deps } from "./orphans.js";
import { openStorage, type Storage } from "./storage.js";
import { result, type Row, stores } from "./storageDatabase.js";
import type { Locks } from "./storageLocks.js";

/** FakeBrowser is a browser's storage and locks, which workers share. */
class FakeBrowser {
  readonly #indexedDB = new IDBFactory();
  readonly #held = new Set<string>();

  worker(): Promise<Storage> {
    const locks: Locks = {
      request: async (name, _, held) => {
        if (this.#held.has(name)) return held(null);
        this.#held.add(name);
        await held({});
        this.#held.delete(name);
      },
      query: async () => ({ held: [...this.#held].map((name) => ({ name })) }),
    };
    return openStorage({ indexedDB: this.#indexedDB, locks });
  }

  /** Stores a replica with pending events, and ends its worker. */
  async leave(client: string, pending = 1): Promise<void> {
    const storage = await this.worker();
    await storage.hold("n", client);
    await storage.save("n", client, { state: client, snapshot: "", events: [], seq: 1, pending });
    storage.close();
    await settled();
  }

  async stored(): Promise<readonly string[]> {
    const db = await result(this.#indexedDB.open("quire", 1));
    const rows: readonly Row[] = await result(db.transaction(stores.replicas).objectStore(stores.replicas).getAll());
    db.close();
    return rows.map(({ client }) => client);
  }
}

/** Runs all code that waits for promises. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

type Sending = ReturnType<Deps["start"]>;

/** SendingCore is a core with one pending event, which the test has accepted, refused, or left pending. */
class SendingCore implements Sending {
  readonly #lent: Lent;
  #flush: string | null = null;
  #batches: object[] = [];
  ended = false;

  constructor(lent: Lent) {
    this.#lent = lent;
  }

  sent(batch: object = {}): void {
    this.#flush = JSON.stringify({ state: "", events: [], seq: 2, pending: 0 });
    this.say(batch);
  }
  say(batch: object): void {
    this.#batches.push(batch);
    this.#lent.changed();
  }
  take(): string | null {
    const batch = this.#batches.shift();
    return batch ? JSON.stringify(batch) : null;
  }
  flush(): string | null {
    const flush = this.#flush;
    this.#flush = null;
    return flush;
  }
  client(): string {
    const { state }: { state: string } = JSON.parse(this.#lent.kept);
    return state;
  }
  end(): void {
    this.ended = true;
  }
  open = (): number => 1;
  stored(): void {}
  unstored(): void {}
}

let browser: FakeBrowser;
let cores: SendingCore[];
let refused: Refusal[];
let online: boolean;

async function orphans(): Promise<Orphans> {
  return new Orphans({
    notebook: "n",
    storage: await browser.worker(),
    start: (lent) => {
      const core = new SendingCore(lent);
      cores.push(core);
      return core;
    },
    dial: () => ({ send() {}, held: () => 0, close() {} }),
    id: () => "new",
    isOnline: () => online,
    refused: (list) => refused.push(...list),
  });
}

beforeEach(() => {
  vi.stubGlobal("IDBKeyRange", IDBKeyRange);
  browser = new FakeBrowser();
  [cores, refused, online] = [[], [], true];
});
afterEach(() => void vi.unstubAllGlobals());

test("what a page left is sent by another, once it is seen to be left twice", async () => {
  await browser.leave("gone");
  const here = await orphans();
  await here.look();
  expect(cores).toHaveLength(0);
  const delivered = here.look();
  await expect.poll(() => cores).toHaveLength(1);
  expect(await browser.stored()).toEqual(["gone"]);
  cores[0]?.sent();
  await delivered;
  expect(await browser.stored()).toEqual([]);
  expect(cores[0]?.ended).toBe(true);
});

test("of two pages one sends it", async () => {
  await browser.leave("gone");
  const [one, other] = [await orphans(), await orphans()];
  await Promise.all([one.look(), other.look()]);
  const looks = Promise.all([one.look(), other.look()]);
  await expect.poll(() => cores).toHaveLength(1);
  cores[0]?.sent();
  await looks;
  await Promise.all([one.look(), other.look()]);
  expect(cores).toHaveLength(1);
});

test("what a live page holds, and what has nothing to send, is left alone", async () => {
  await browser.leave("confirmed", 0);
  const live = await browser.worker();
  await live.hold("n", "live");
  await live.save("n", "live", { state: "live", snapshot: "", events: [], seq: 1, pending: 3 });
  const here = await orphans();
  for (let i = 0; i < 3; i++) await here.look();
  expect(cores).toHaveLength(0);
});

test("nothing is taken over while the server is away, and what is under way is put back", async () => {
  await browser.leave("gone");
  const here = await orphans();
  online = false;
  for (let i = 0; i < 3; i++) await here.look();
  expect(cores).toHaveLength(0);
  online = true;
  await here.look();
  const delivery = here.look();
  await expect.poll(() => cores).toHaveLength(1);
  online = false;
  await here.look();
  await delivery;
  expect(cores[0]?.ended).toBe(true);
  expect(await browser.stored()).toEqual(["gone"]);
  expect((await (await browser.worker()).claim("n"))?.client).toBe("gone");
});

test("what the server refuses of it is passed on", async () => {
  await browser.leave("gone");
  const here = await orphans();
  await here.look();
  const delivered = here.look();
  await expect.poll(() => cores).toHaveLength(1);
  const no: Refusal = { id: "gone.1", type: "SourceEdited", code: "forbidden", message: "no", source: "typed" };
  cores[0]?.sent({ refused: [no] });
  await delivered;
  expect(refused).toEqual([no]);
});

test("a notebook that does not want it keeps it stored, and it is not tried again and again", async () => {
  await browser.leave("gone");
  const here = await orphans();
  await here.look();
  const delivered = here.look();
  await expect.poll(() => cores).toHaveLength(1);
  cores[0]?.say({ status: { seq: 0, pending: 1, online: false, closed: { code: "forbidden", message: "no" } } });
  await delivered;
  for (let i = 0; i < 3; i++) await here.look();
  expect(cores).toHaveLength(1);
  expect(await browser.stored()).toEqual(["gone"]);
});
