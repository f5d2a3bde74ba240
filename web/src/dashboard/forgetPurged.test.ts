import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { complete, openDatabase, result, stores } from "../worker/storageDatabase.js";
import { forgetPurged } from "./forgetPurged.js";

beforeEach(() => {
  vi.stubGlobal("IDBKeyRange", IDBKeyRange);
  vi.stubGlobal("fetch", async (path: string) => new Response(null, { status: path.endsWith("/gone") ? 410 : path.endsWith("/deleted") ? 404 : 200 }));
});

afterEach(() => {
  vi.unstubAllGlobals();
  localStorage.clear();
});

test("of kept notebooks those go that were removed for good", async () => {
  const factory = new IDBFactory();
  const db = await openDatabase(factory, () => {});
  const writing = db.transaction([stores.replicas, stores.snapshots], "readwrite");
  for (const notebook of ["there", "gone", "deleted"]) {
    writing.objectStore(stores.replicas).put({ notebook, client: "c", state: "{}", seq: 1, pending: 1, chunks: 0, used: 5 });
    writing.objectStore(stores.snapshots).put("a snapshot", [notebook, "c"]);
    localStorage.setItem(`quire.refused.${notebook}`, "[]");
  }
  await complete(writing);
  await forgetPurged(factory);
  const keys = await result(db.transaction(stores.snapshots).objectStore(stores.snapshots).getAllKeys());
  expect(keys).toEqual([
    ["deleted", "c"],
    ["there", "c"],
  ]);
  expect(Object.keys(localStorage).sort()).toEqual(["quire.refused.deleted", "quire.refused.there"]);
  db.close();
});

test("a browser that keeps nothing is left as it is", async () => {
  const factory = new IDBFactory();
  await forgetPurged(factory);
  expect(await factory.databases()).toEqual([]);
});
