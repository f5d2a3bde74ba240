import { nextPaint } from "../app/nextPaint.js";
import type { Client } from "../core/client.js";
import { Store } from "../core/store.js";
import { fetchRows, rowsInPage } from "./first.js";
import type { Port, ToPage, ToWorker } from "./messages.js";
import { RemoteClient } from "./remote.js";
import { trustedScript } from "./trusted.js";
import sharedURL from "./worker.ts?sharedworker&url";
import workerURL from "./worker.ts?worker&url";

/**
 * Opens a notebook: its first rows are in the client's store at once if they came with the page, and as
 * soon as the server has sent them if not. They can be edited from then on. The core, which takes over
 * when it is loaded, is loaded after their paint, for the two would be slower together.
 */
export function openNotebook(id: string): Client {
  const store = new Store();
  const rows = rowsInPage(id);
  if (rows) store.apply(rows);
  const shown = rows ? nextPaint() : fetchRows(id).then((batch) => {
    if (!batch) return;
    store.apply(batch);
    return nextPaint();
  });
  return new RemoteClient(id, store, shown.then(() => connect(id)));
}

/** Starts the worker, one for all tabs where that is possible. */
function connect(id: string): Port<ToPage, ToWorker> {
  if (typeof SharedWorker === "undefined") {
    return new Worker(trustedScript(workerURL), { type: "module", name: `quire ${id}` });
  }
  const { port } = new SharedWorker(trustedScript(sharedURL), { type: "module", name: `quire ${id}` });
  return port;
}
