/** How long the browser may take to open its database, in milliseconds. Some never answer. */
const patience = 5_000;

/** Why a page that is older than the database cannot have it. */
export const newer = "a newer version of this page is open in another tab; reload this one";

/** The stores of the database `quire`. */
export const stores = {
  /** Row by [notebook, client]. */
  replicas: "replicas",
  /** The JSON of a snapshot by [notebook, client]. */
  snapshots: "snapshots",
  /** The JSON of the events of a flush, in order, by [notebook, client, chunk]. */
  events: "events",
} as const;

/** Row is a replica that is stored. Its snapshot and its events are in stores of their own, for they are large and rarely read. */
export interface Row {
  readonly notebook: string;
  readonly client: string;
  readonly state: string;
  readonly seq: number;
  readonly pending: number;
  /** How many chunks of events were stored behind the snapshot. */
  readonly chunks: number;
  /** When it was last stored or taken over. */
  readonly used: number;
  /** It was stored by a worker of which the browser took the database away, and whose lock may not be seen any more. */
  readonly unlocked?: boolean;
}

/** Opens the database. Lost is called once, with what to tell people, when the browser takes it away. */
export function openDatabase(factory: IDBFactory, lost: (reason: string) => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      reject(new Error("the browser does not open its storage"));
    }, patience);
    const opening = factory.open("quire", 1);
    opening.onupgradeneeded = () => create(opening.result);
    opening.onerror = () => {
      clearTimeout(timer);
      reject(opening.error ?? new Error("the browser refuses its storage"));
    };
    opening.onsuccess = () => {
      clearTimeout(timer);
      const db = opening.result;
      if (late) return db.close(); // one that is open and forgotten keeps the database from being removed
      db.onclose = () => lost("the browser closed its storage");
      db.onversionchange = () => {
        db.close();
        lost(newer);
      };
      resolve(db);
    };
  });
}

function create(db: IDBDatabase): void {
  const replicas = db.createObjectStore(stores.replicas, { keyPath: ["notebook", "client"] });
  replicas.createIndex("used", "used");
  db.createObjectStore(stores.snapshots);
  db.createObjectStore(stores.events);
}

/** The result of a request. */
export function result<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the browser's storage failed"));
  });
}

/** Resolves once a transaction is complete, which is when what it wrote is stored. */
export function complete(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error("the browser did not store it"));
  });
}

/** All keys that begin with these parts: an array is beyond every string and number. */
export function under(...parts: readonly string[]): IDBKeyRange {
  return IDBKeyRange.bound([...parts], [...parts, []]);
}
