import type { Client } from "../core/client.js";
import { Store } from "../core/store.js";
import type { Batch } from "../core/view.js";
import { firstView } from "./first.js";
import type { Port, ToPage, ToWorker } from "./messages.js";
import { RemoteClient } from "./remote.js";
import sharedURL from "./worker.ts?sharedworker&url";
import workerURL from "./worker.ts?worker&url";
import { trustedScript } from "./trusted.js";

/**
 * Opens a notebook: its rows are in the client's store as soon as the server or this browser has
 * shown the first of them, and the core takes over when it is loaded.
 */
export function openNotebook(id: string): Client {
  const store = new Store();
  const client = new RemoteClient(id, store, connect(id));
  void firstView(id).then((batch: Batch | undefined) => {
    if (batch && !client.live) store.apply(batch);
  });
  return client;
}

/** Starts the worker, one for all tabs where that is possible. */
function connect(id: string): Port<ToPage, ToWorker> {
  if (typeof SharedWorker === "undefined") {
    return new Worker(trustedScript(workerURL), { type: "module", name: `quire ${id}` });
  }
  const { port } = new SharedWorker(trustedScript(sharedURL), { type: "module", name: `quire ${id}` });
  return port;
}
