import { giveKey } from "../core/key.js";
import { Host } from "./host.js";
import { loadCore } from "./load.js";
import type { Port, ToPage, ToWorker } from "./messages.js";

// A worker serves one notebook: for all of its pages if it is shared, else for the page that created it.
let host: Host | undefined;

function serve(port: Port<ToWorker, ToPage>): void {
  port.onmessage = ({ data }) => {
    if (data.kind !== "open") return;
    giveKey(data.key);
    if (!host || host.failed) host = new Host(data.notebook, loadCore); // later pages get a new host after a failure
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
