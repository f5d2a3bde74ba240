import type { Client } from "../core/client.js";
import { Store } from "../core/store.js";
import { firstView } from "./first.js";
import type { Port, ToPage, ToWorker } from "./messages.js";
import { RemoteClient } from "./remote.js";
import { trustedScript } from "./trusted.js";
import sharedURL from "./worker.ts?sharedworker&url";
import workerURL from "./worker.ts?worker&url";

/**
 * Opens a notebook: its rows are in the client's store as soon as the server has shown the first of
 * them, and the core takes over when it is loaded. It is loaded after that first paint, for the
 * two would be slower together.
 */
export function openNotebook(id: string): Client {
  const store = new Store();
  const painted = firstView(id).then((batch) => {
    if (!batch) return;
    store.apply(batch);
    return nextPaint();
  });
  return new RemoteClient(id, store, painted.then(() => connect(id)));
}

/** Resolves after the next paint, and soon in a page that nobody sees, which is never painted. */
function nextPaint(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve();
    requestAnimationFrame(() => port2.postMessage(0));
    setTimeout(resolve, 300);
  });
}

/** Starts the worker, one for all tabs where that is possible. */
function connect(id: string): Port<ToPage, ToWorker> {
  if (typeof SharedWorker === "undefined") {
    return new Worker(trustedScript(workerURL), { type: "module", name: `quire ${id}` });
  }
  const { port } = new SharedWorker(trustedScript(sharedURL), { type: "module", name: `quire ${id}` });
  return port;
}
