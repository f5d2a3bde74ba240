import { newer, openDatabase, type Row } from "./storageDatabase.js";
import { type Channel, Holds, type Locks } from "./storageLocks.js";
import { isUnlocked, readKept, remove, removeAll, rowsBefore, rowsOf, writeFlush } from "./storageReplicas.js";

/** StorageState tells whether the browser stores typed text. Off has the reason, for "not stored: <reason>". */
export type StorageState = { readonly kind: "stored" } | { readonly kind: "off"; readonly reason: string };

/** Kept is a stored replica. Only the Go core reads the content of its strings. */
export interface Kept {
  readonly client: string;
  readonly state: string;
  readonly snapshot: string;
  readonly events: readonly string[];
}

/** Flush is the data that the core wants stored together. A snapshot replaces the one before and all events. */
export interface Flush {
  readonly state: string;
  readonly snapshot?: string;
  readonly events: readonly string[];
  readonly seq: number;
  readonly pending: number;
}

/** Lent are the browser's interfaces that a storage uses; missing ones are absent in the browser. */
export interface Lent {
  readonly indexedDB?: IDBFactory | undefined;
  readonly locks?: Locks | undefined;
  readonly channel?: Channel | undefined;
  readonly now?: () => number;
}

/** The time after which an unused replica without pending events is removed, in milliseconds. */
const unused = 30 * 24 * 3600 * 1000;

const off = (reason: string): StorageState => ({ kind: "off", reason });
const stored: StorageState = { kind: "stored" };

/** Opens the browser's storage. It never rejects: without storage its state has the reason. */
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
    return {}; // with blocked cookies the access itself throws
  }
}

/**
 * Storage keeps replicas of notebooks in IndexedDB, so a closed page loses nothing. Each is held by one worker, with a lock
 * that ends with the worker. None of its methods fails: errors are in the state, and typing goes on.
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
  /** The browser took the database away, and may have released the locks: see {@link Holds.heldElsewhere}. */
  #unlocked = false;
  /** Notebooks that are no longer stored. */
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

  /** Subscribes f to changes of the state. Returns the unsubscribe function. */
  onState(f: (state: StorageState) => void): () => void {
    this.#listeners.add(f);
    return () => this.#listeners.delete(f);
  }

  /** Claims a replica of a notebook that no live worker holds, preferably one with pending events. It is held until release. */
  async claim(notebook: string): Promise<Kept | undefined> {
    return this.#attempt((db) => this.#claim(db, notebook));
  }

  /** Claims a certain replica, if no live worker holds it and it still exists. It is held until release. */
  async take(notebook: string, client: string): Promise<Kept | undefined> {
    return this.#attempt((db) => this.#take(db, notebook, client));
  }

  /** Returns the replicas of a notebook with pending events that no live worker holds. */
  async left(notebook: string): Promise<readonly string[]> {
    const rows = await this.#attempt((db) => rowsOf(db, notebook));
    const clients = (rows ?? []).filter(({ pending }) => pending > 0).map(({ client }) => client);
    return clients.length === 0 ? [] : ((await quietly(async () => this.#holds?.free(notebook, clients))) ?? []);
  }

  /** Holds a new replica. Returns false if another worker holds it, or without storage. */
  async hold(notebook: string, client: string): Promise<boolean> {
    if (!(await this.open())) return false;
    return (await this.#holds?.take(notebook, client)) ?? false;
  }

  /** Stores a flush of a replica that this worker holds. Resolves with true once it is stored. */
  async save(notebook: string, client: string, flush: Flush): Promise<boolean> {
    if (!this.#holds?.has(notebook, client)) return false;
    const write = async (db: IDBDatabase): Promise<boolean> =>
      !this.#erased.has(notebook) && writeFlush(db, notebook, client, flush, { used: this.#now(), unlocked: this.#unlocked });
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

  /** Removes a replica and releases it. */
  async forget(notebook: string, client: string): Promise<void> {
    await this.#attempt((db) => remove(db, notebook, client, () => true));
    this.release(notebook, client);
  }

  /** Removes all replicas of a notebook, including held ones and their pending events, and stores no more of it. */
  async erase(notebook: string): Promise<void> {
    this.#erased.add(notebook);
    await this.#attempt((db) => removeAll(db, notebook));
  }

  /** Releases a replica, which stays stored. */
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
      await quietly(() =>
        this.#prune(
          db,
          rows.filter((row) => row.seq <= seq),
        ),
      );
      return kept;
    }
    await quietly(() => this.#prune(db, []));
    return undefined;
  }

  async #take(db: IDBDatabase, notebook: string, client: string): Promise<Kept | undefined> {
    if (!(await this.#holds?.take(notebook, client))) return undefined;
    const elsewhere = (await isUnlocked(db, notebook, client)) && (await this.#holds?.heldElsewhere(notebook, client));
    const kept = elsewhere ? undefined : await readKept(db, notebook, client, this.#now()); // in its state after the end of its holder
    if (!kept) this.release(notebook, client);
    return kept;
  }

  /** Removes replicas without pending events that no worker holds: the given ones, and those unused for long. */
  async #prune(db: IDBDatabase, beaten: readonly Row[]): Promise<void> {
    const old = await rowsBefore(db, this.#now() - unused);
    for (const { notebook, client, pending } of [...beaten, ...old]) {
      if (pending > 0 || this.#holds?.has(notebook, client)) continue;
      if (!(await this.#holds?.take(notebook, client))) continue;
      await remove(db, notebook, client, (row) => row.pending === 0);
      this.release(notebook, client);
    }
  }

  /** Removes all replicas that the server has as well. */
  async #makeRoom(db: IDBDatabase): Promise<void> {
    await this.#prune(db, await rowsBefore(db, Number.POSITIVE_INFINITY));
  }

  /** Runs f on the database. An error becomes the state. */
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

/** Runs f and ignores its errors: only a convenience is lost. */
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
