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
 * Opens a notebook. Its first rows are in the client's store at once if they came with the page, else as soon as the server has
 * sent them; they can be edited from then on. The core, which takes over when it is loaded, is loaded after their paint,
 * because both at once would be slower.
 */
export function openNotebook(id: string): Client {
  const store = new Store();
  const rows = rowsInPage(id);
  if (rows) store.apply(rows);
  const shown = rows
    ? nextPaint()
    : fetchRows(id).then((batch) => {
        if (!batch) return;
        store.apply(batch);
        return nextPaint();
      });
  return new RemoteClient(
    id,
    store,
    shown.then(() => connect(id)),
  );
}

/** Starts the worker, one for all tabs where that is possible, and retries until its script is loaded. */
function connect(id: string): Promise<Port<ToPage, ToWorker>> {
  return retried(
    () => started(id),
    (error) => dispatchEvent(new CustomEvent("quire:loading", { detail: error instanceof Error ? error.message : String(error) })),
  );
}

/**
 * The time for a shared worker to answer, in milliseconds. Chromium can connect a page to a worker whose script failed to load
 * and that is about to end: then there is neither an answer nor an error. Another attempt while a script still loads connects
 * to the same worker, so nothing is loaded twice.
 */
export const patience = 10_000;

/** Starts a worker, and resolves when its script is loaded. */
function started(id: string): Promise<Port<ToPage, ToWorker>> {
  return new Promise((resolve, reject) => {
    const [worker, port, isShared] = start(id);
    const late = isShared ? setTimeout(() => reject(new Error("its worker does not start")), patience) : undefined;
    port.onmessage = ({ data }) => {
      if (data.kind !== "here") return;
      worker.onerror = null;
      clearTimeout(late);
      resolve(port);
    };
    worker.onerror = () => {
      clearTimeout(late);
      reject(new Error("the server does not answer"));
    };
  });
}

function start(id: string): readonly [worker: AbstractWorker, port: Port<ToPage, ToWorker>, isShared: boolean] {
  const options = { type: "module", name: `quire ${id}` } as const;
  if (typeof SharedWorker === "undefined") {
    const worker = new Worker(trustedScript(workerURL), options);
    return [worker, worker, false];
  }
  const worker = new SharedWorker(trustedScript(sharedURL), options);
  return [worker, worker.port, true];
}
