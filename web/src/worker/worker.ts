import { Host } from "./host.js";
import { loadCore } from "./load.js";
import type { Port, ToPage, ToWorker } from "./messages.js";

// A worker serves one notebook: every page of it if it is shared, else the one that made it.
let host: Host | undefined;
const load = loadCore();
load.catch(() => {}); // pages that come are told

function serve(port: Port<ToWorker, ToPage>): void {
  port.onmessage = ({ data }) => {
    if (data.kind !== "open") return;
    host ??= new Host(data.notebook, load);
    void host.open(port, data);
  };
}

if ("onconnect" in globalThis) {
  addEventListener("connect", (event) => {
    const [port] = event instanceof MessageEvent ? event.ports : [];
    if (port) serve(port);
  });
} else {
  serve(globalThis);
}
