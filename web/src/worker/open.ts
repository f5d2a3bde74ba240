import type { Client } from "../core/client.js";
import { Store } from "../core/store.js";
import { nextPaint } from "../lib/nextPaint.js";
import { retried } from "../lib/retry.js";
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

/** Starts the worker, one for all tabs where that is possible, and again until its script was loaded. */
function connect(id: string): Promise<Port<ToPage, ToWorker>> {
  return retried(() => started(id), () => dispatchEvent(new CustomEvent("quire:loading", { detail: "the server does not answer" })));
}

/** Starts a worker, and resolves when it says that it is there. */
function started(id: string): Promise<Port<ToPage, ToWorker>> {
  return new Promise((resolve, reject) => {
    const [worker, port] = start(id);
    port.onmessage = ({ data }) => {
      worker.onerror = null;
      if (data.kind === "here") resolve(port);
    };
    worker.onerror = () => reject(new Error("the worker's script was not loaded"));
  });
}

function start(id: string): readonly [worker: AbstractWorker, port: Port<ToPage, ToWorker>] {
  const options = { type: "module", name: `quire ${id}` } as const;
  if (typeof SharedWorker === "undefined") {
    const worker = new Worker(trustedScript(workerURL), options);
    return [worker, worker];
  }
  const worker = new SharedWorker(trustedScript(sharedURL), options);
  return [worker, worker.port];
}
