import { complete, result, stores, type View } from "./storageDatabase.js";

/** How many notebooks are remembered. */
const most = 50;

/** How long the text of a view may be, in UTF-16 code units. */
const longest = 1 << 20;

/** Stores what a notebook looks like now, and forgets the notebooks that were not seen for longest. One that is too long is forgotten. */
export async function putView(db: IDBDatabase, view: View): Promise<void> {
  const transaction = db.transaction(stores.views, "readwrite", { durability: "relaxed" });
  const views = transaction.objectStore(stores.views);
  if (view.text.length > longest) views.delete(view.notebook);
  else views.put(view);
  const inTime = await result(views.index("used").getAllKeys()); // the oldest first
  for (const notebook of inTime.slice(0, Math.max(0, inTime.length - most))) views.delete(notebook);
  await complete(transaction);
}

/** What a notebook looked like when it was last stored. */
export async function getView(db: IDBDatabase, notebook: string): Promise<string | undefined> {
  const found: View | undefined = await result(db.transaction(stores.views).objectStore(stores.views).get(notebook));
  return found?.text;
}

/** Forgets all views. */
export async function clearViews(db: IDBDatabase): Promise<void> {
  const transaction = db.transaction(stores.views, "readwrite");
  transaction.objectStore(stores.views).clear();
  await complete(transaction);
}
