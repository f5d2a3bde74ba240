import { newer, openDatabase, type Row } from "./storageDatabase.js";
import { type Channel, Holds, type Locks } from "./storageLocks.js";
import { isUnlocked, readKept, remove, removeAll, rowsBefore, rowsOf, writeFlush } from "./storageReplicas.js";

/** StorageState says whether what people type is stored by the browser too. Off has the reason, for "not stored: <reason>". */
export type StorageState = { readonly kind: "stored" } | { readonly kind: "off"; readonly reason: string };

/** Kept is a replica as it was stored. What is in its strings only the Go core knows. */
export interface Kept {
  readonly client: string;
  readonly state: string;
  readonly snapshot: string;
  readonly events: readonly string[];
}

/** Flush is what the core wants stored together. A snapshot takes the place of the one before and of all events. */
export interface Flush {
  readonly state: string;
  readonly snapshot?: string;
  readonly events: readonly string[];
  readonly seq: number;
  readonly pending: number;
}

/** Lent is what a storage is made of; what is missing is the browser's. */
export interface Lent {
  readonly indexedDB?: IDBFactory | undefined;
  readonly locks?: Locks | undefined;
  readonly channel?: Channel | undefined;
  readonly now?: () => number;
}

/** How long a replica with nothing pending is kept that nobody uses, in milliseconds. */
const unused = 30 * 24 * 3600 * 1000;

const off = (reason: string): StorageState => ({ kind: "off", reason });
const stored: StorageState = { kind: "stored" };

/** Opens the browser's storage. It is never rejected: where there is no storage, its state says why. */
export async function openStorage(lent: Lent = browser()): Promise<Storage> {
  const storage = new Storage(lent);
  await storage.open();
  return storage;
}

function browser(): Lent {
  try {
    const channel = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("quire holds");
    return { indexedDB: globalThis.indexedDB, locks: globalThis.navigator.locks, channel };
  } catch {
    return {}; // where cookies are blocked, to ask is an error already
  }
}

/**
 * Storage keeps replicas of notebooks in IndexedDB, so that a page loses nothing when it is closed. Each is held by
 * one worker, with a lock that ends with it. None of its methods fails: what goes wrong is in the state, and typing goes on.
 */
export class Storage {
  readonly #factory: IDBFactory | undefined;
  readonly #holds: Holds | undefined;
  readonly #now: () => number;
  readonly #listeners = new Set<(state: StorageState) => void>();
  #state: StorageState = off("it is not open yet");
  #db: IDBDatabase | undefined;
  #opening: Promise<IDBDatabase | undefined> | undefined;
  #closed = false;
  /** The browser took the database away, and may have let go of the locks: see {@link Holds.heldElsewhere}. */
  #unlocked = false;
  /** Notebooks of which nothing more is stored. */
  readonly #erased = new Set<string>();

  constructor({ indexedDB, locks, channel, now = Date.now }: Lent) {
    this.#factory = indexedDB;
    this.#holds = locks && new Holds(locks, channel);
    this.#now = now;
  }

  /** Opens the database, again if the browser took it away. */
  async open(): Promise<IDBDatabase | undefined> {
    if (this.#db || this.#closed) return this.#db;
    this.#opening ??= this.#open();
    const db = await this.#opening;
    this.#opening = undefined;
    return db;
  }

  async #open(): Promise<IDBDatabase | undefined> {
    if (!this.#factory) return this.#fail("this browser has no storage for this page");
    if (!this.#holds) return this.#fail("this browser stores only for pages that come by https or from this machine");
    try {
      this.#db = await openDatabase(this.#factory, (reason) => {
        this.#db = undefined;
        this.#unlocked = true;
        this.#fail(reason);
      });
      this.#become(stored);
      return this.#db;
    } catch (error) {
      return this.#fail(reasonOf(error));
    }
  }

  state(): StorageState {
    return this.#state;
  }

  /** Calls f when the state changes. Returns what ends it. */
  onState(f: (state: StorageState) => void): () => void {
    this.#listeners.add(f);
    return () => this.#listeners.delete(f);
  }

  /** Takes over a replica of a notebook that no live worker holds, one with pending events first. It is held until release. */
  async claim(notebook: string): Promise<Kept | undefined> {
    return this.#attempt((db) => this.#claim(db, notebook));
  }

  /** Takes over a certain replica, if no live worker holds it and it is still there. It is held until release. */
  async take(notebook: string, client: string): Promise<Kept | undefined> {
    return this.#attempt((db) => this.#take(db, notebook, client));
  }

  /** Returns the replicas of a notebook that have something to send and that no live worker holds. */
  async left(notebook: string): Promise<readonly string[]> {
    const rows = await this.#attempt((db) => rowsOf(db, notebook));
    const clients = (rows ?? []).filter(({ pending }) => pending > 0).map(({ client }) => client);
    return clients.length === 0 ? [] : ((await quietly(async () => this.#holds?.free(notebook, clients))) ?? []);
  }

  /** Holds a replica that is new. False: somebody else holds it, or there is no storage. */
  async hold(notebook: string, client: string): Promise<boolean> {
    if (!(await this.open())) return false;
    return (await this.#holds?.take(notebook, client)) ?? false;
  }

  /** Stores a flush of a replica that this worker holds. True once it is stored. */
  async save(notebook: string, client: string, flush: Flush): Promise<boolean> {
    if (!this.#holds?.has(notebook, client)) return false;
    const write = async (db: IDBDatabase): Promise<boolean> => !this.#erased.has(notebook) && writeFlush(db, notebook, client, flush, { used: this.#now(), unlocked: this.#unlocked });
    const ok = await this.#attempt(async (db) => {
      try {
        return await write(db);
      } catch (error) {
        if (!isFull(error)) throw error;
        await this.#makeRoom(db);
        return await write(db);
      }
    });
    if (ok !== undefined) this.#become(stored);
    return ok ?? false;
  }

  /** Removes a replica and lets go of it. */
  async forget(notebook: string, client: string): Promise<void> {
    await this.#attempt((db) => remove(db, notebook, client, () => true));
    this.release(notebook, client);
  }

  /** Removes all replicas of a notebook, whoever holds them and whatever they had to send, and stores no more of it. */
  async erase(notebook: string): Promise<void> {
    this.#erased.add(notebook);
    await this.#attempt((db) => removeAll(db, notebook));
  }

  /** Lets go of a replica, which stays stored. */
  release(notebook: string, client: string): void {
    this.#holds?.release(notebook, client);
  }

  close(): void {
    this.#closed = true;
    this.#holds?.releaseAll();
    this.#db?.close();
    this.#db = undefined;
    this.#fail("it is closed");
  }

  async #claim(db: IDBDatabase, notebook: string): Promise<Kept | undefined> {
    const rows = await rowsOf(db, notebook);
    for (const { client, seq } of rows) {
      const kept = await this.#take(db, notebook, client);
      if (!kept) continue;
      await quietly(() => this.#prune(db, rows.filter((row) => row.seq <= seq)));
      return kept;
    }
    await quietly(() => this.#prune(db, []));
    return undefined;
  }

  async #take(db: IDBDatabase, notebook: string, client: string): Promise<Kept | undefined> {
    if (!(await this.#holds?.take(notebook, client))) return undefined;
    const elsewhere = (await isUnlocked(db, notebook, client)) && (await this.#holds?.heldElsewhere(notebook, client));
    const kept = elsewhere ? undefined : await readKept(db, notebook, client, this.#now()); // as it is since its holder ended
    if (!kept) this.release(notebook, client);
    return kept;
  }

  /** Removes replicas that have nothing pending and that nobody holds: those given, and those that nobody used for long. */
  async #prune(db: IDBDatabase, beaten: readonly Row[]): Promise<void> {
    const old = await rowsBefore(db, this.#now() - unused);
    for (const { notebook, client, pending } of [...beaten, ...old]) {
      if (pending > 0 || this.#holds?.has(notebook, client)) continue;
      if (!(await this.#holds?.take(notebook, client))) continue;
      await remove(db, notebook, client, (row) => row.pending === 0);
      this.release(notebook, client);
    }
  }

  /** Removes all that can be had from the server again. */
  async #makeRoom(db: IDBDatabase): Promise<void> {
    await this.#prune(db, await rowsBefore(db, Number.POSITIVE_INFINITY));
  }

  /** Does something with the database. What fails becomes the state. */
  async #attempt<T>(f: (db: IDBDatabase) => Promise<T>): Promise<T | undefined> {
    const db = await this.open();
    if (!db) return undefined;
    try {
      return await f(db);
    } catch (error) {
      return this.#fail(reasonOf(error));
    }
  }

  #fail(reason: string): undefined {
    this.#become(off(reason));
  }

  #become(state: StorageState): void {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    for (const f of this.#listeners) f(state);
  }
}

/** Does what may as well fail: what it loses is a convenience. */
async function quietly<T>(f: () => Promise<T>): Promise<T | undefined> {
  try {
    return await f();
  } catch {
    return undefined;
  }
}

function isFull(error: unknown): boolean {
  return error instanceof DOMException && error.name === "QuotaExceededError";
}

function reasonOf(error: unknown): string {
  if (error instanceof DOMException && error.name === "VersionError") return newer;
  if (isFull(error)) return "the disk space that the browser gives this page is used up";
  return error instanceof Error && error.message !== "" ? error.message : "the browser's storage failed";
}
