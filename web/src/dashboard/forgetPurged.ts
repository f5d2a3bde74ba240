import { keyedFetch } from "../core/key.js";
import { forgetFolds } from "../notebook/state/folds.js";
import { forgetRefusals } from "../notebook/state/refusals.js";
import { openDatabase } from "../worker/storageDatabase.js";
import { removeAll, rowsBefore } from "../worker/storageReplicas.js";

/** The most notebooks to ask about: the most recently used ones. */
const most = 100;

/** Removes the browser's data of notebooks that were purged while none of their pages was open. */
export async function forgetPurged(factory: IDBFactory = indexedDB): Promise<void> {
  if (!(await factory.databases()).some(({ name }) => name === "quire")) return; // opening it would create it
  const db = await openDatabase(factory, () => {});
  try {
    const rows = await rowsBefore(db, Number.POSITIVE_INFINITY);
    const notebooks = [...new Set(rows.toReversed().map(({ notebook }) => notebook))].slice(0, most);
    for (const notebook of notebooks) {
      const answer = await keyedFetch(`/api/notebooks/${encodeURIComponent(notebook)}`);
      if (answer.status !== 410) continue;
      await removeAll(db, notebook);
      forgetFolds(notebook);
      forgetRefusals(notebook);
    }
  } finally {
    db.close();
  }
}
