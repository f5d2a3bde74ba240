/** The time that the browser has to open its database, in milliseconds. Some never answer. */
const patience = 5_000;

/** The reason that a page older than the database cannot open it. */
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

/** Row is a stored replica. Its snapshot and its events are in stores of their own, because they are large and rarely read. */
export interface Row {
  readonly notebook: string;
  readonly client: string;
  readonly state: string;
  readonly seq: number;
  readonly pending: number;
  /** The number of stored chunks of events after the snapshot. */
  readonly chunks: number;
  /** The time when it was last stored or claimed. */
  readonly used: number;
  /** It was stored by a worker that lost the database, and whose lock may be invisible. */
  readonly unlocked?: boolean;
}

/** Opens the database. Lost is called once, with a message for the user, when the browser takes it away. */
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
      if (late) return db.close(); // an open but unused connection keeps the database from being deleted
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

/** Resolves with the result of a request. */
export function result<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the browser's storage failed"));
  });
}

/** Resolves once a transaction is complete, and its writes are stored. */
export function complete(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error("the browser did not store it"));
  });
}

/** Returns the range of all keys that begin with these parts: an array sorts after every string and number. */
export function under(...parts: readonly string[]): IDBKeyRange {
  return IDBKeyRange.bound([...parts], [...parts, []]);
}
