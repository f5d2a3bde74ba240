import { giveKey } from "../core/key.js";
import { Host } from "./host.js";
import { loadCore } from "./load.js";
import type { Port, ToPage, ToWorker } from "./messages.js";

// A worker serves one notebook: every page of it if it is shared, else the one that made it.
let host: Host | undefined;

function serve(port: Port<ToWorker, ToPage>): void {
  port.onmessage = ({ data }) => {
    if (data.kind !== "open") return;
    giveKey(data.key);
    if (!host || host.failed) host = new Host(data.notebook, loadCore); // a failure is not kept for the pages that come later
    void host.open(port, data);
  };
  port.postMessage({ kind: "here" });
}

if ("onconnect" in globalThis) {
  addEventListener("connect", (event) => {
    const [port] = event instanceof MessageEvent ? event.ports : [];
    if (port) serve(port);
  });
} else {
  serve(globalThis);
}
