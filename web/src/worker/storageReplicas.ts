import { complete, result, type Row, stores, under } from "./storageDatabase.js";
import type { Flush, Kept } from "./storage.js";

const all = [stores.replicas, stores.snapshots, stores.events];

/** Stores a flush, all of it or nothing. Resolves with false if its predecessor is not stored, so a full flush must come first. */
export async function writeFlush(
  db: IDBDatabase,
  notebook: string,
  client: string,
  flush: Flush,
  { used, unlocked }: Pick<Row, "used" | "unlocked">,
): Promise<boolean> {
  const durability = flush.pending > 0 ? "strict" : "relaxed"; // the server has confirmed events as well
  const transaction = db.transaction(all, "readwrite", { durability });
  const replicas = transaction.objectStore(stores.replicas);
  const before: Row | undefined = await result(replicas.get([notebook, client]));
  if (!before && flush.snapshot === undefined) return false;
  let chunks = before?.chunks ?? 0;
  if (flush.snapshot !== undefined) {
    transaction.objectStore(stores.snapshots).put(flush.snapshot, [notebook, client]);
    transaction.objectStore(stores.events).delete(under(notebook, client));
    chunks = 0;
  }
  if (flush.events.length > 0) transaction.objectStore(stores.events).put(flush.events, [notebook, client, chunks++]);
  const row: Row = { notebook, client, state: flush.state, seq: flush.seq, pending: flush.pending, chunks, used, ...(unlocked && { unlocked }) };
  replicas.put(row);
  await complete(transaction);
  return true;
}

/** Returns the replicas of a notebook, those with the most pending events first. */
export async function rowsOf(db: IDBDatabase, notebook: string): Promise<readonly Row[]> {
  const rows: readonly Row[] = await result(db.transaction(stores.replicas).objectStore(stores.replicas).getAll(under(notebook)));
  return rows.toSorted((a, b) => b.pending - a.pending || b.seq - a.seq || b.used - a.used);
}

/** Reports whether a replica was stored by a worker whose lock may be invisible. */
export async function isUnlocked(db: IDBDatabase, notebook: string, client: string): Promise<boolean> {
  const row: Row | undefined = await result(db.transaction(stores.replicas).objectStore(stores.replicas).get([notebook, client]));
  return row?.unlocked ?? false;
}

/** Returns a replica with all of its stored data, and counts that as a use; undefined if it is gone. */
export async function readKept(db: IDBDatabase, notebook: string, client: string, used: number): Promise<Kept | undefined> {
  const transaction = db.transaction(all, "readwrite", { durability: "relaxed" });
  const replicas = transaction.objectStore(stores.replicas);
  const row: Row | undefined = await result(replicas.get([notebook, client]));
  if (!row) return undefined;
  replicas.put({ ...row, used });
  const snapshot: string | undefined = await result(transaction.objectStore(stores.snapshots).get([notebook, client]));
  const chunks: readonly (readonly string[])[] = await result(transaction.objectStore(stores.events).getAll(under(notebook, client)));
  return { client, state: row.state, snapshot: snapshot ?? "", events: chunks.flat() };
}

/** Removes a replica, if it still satisfies a condition. */
export async function remove(db: IDBDatabase, notebook: string, client: string, still: (row: Row) => boolean): Promise<void> {
  const transaction = db.transaction(all, "readwrite", { durability: "relaxed" });
  const row: Row | undefined = await result(transaction.objectStore(stores.replicas).get([notebook, client]));
  if (!row || !still(row)) return;
  transaction.objectStore(stores.replicas).delete([notebook, client]);
  transaction.objectStore(stores.snapshots).delete([notebook, client]);
  transaction.objectStore(stores.events).delete(under(notebook, client));
  await complete(transaction);
}

/** Removes all stored data of a notebook. */
export async function removeAll(db: IDBDatabase, notebook: string): Promise<void> {
  const transaction = db.transaction(all, "readwrite", { durability: "strict" });
  for (const store of all) transaction.objectStore(store).delete(under(notebook));
  await complete(transaction);
}

/** Returns the replicas of all notebooks that were not used since a time. */
export async function rowsBefore(db: IDBDatabase, used: number): Promise<readonly Row[]> {
  const index = db.transaction(stores.replicas).objectStore(stores.replicas).index("used");
  const rows: readonly Row[] = await result(index.getAll(IDBKeyRange.upperBound(used, true)));
  return rows;
}
