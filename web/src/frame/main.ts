import { showHTML, showJavaScript } from "./content.js";
import "./frame.css";
import { type FromFrame, parseToFrame, type ToFrame } from "./messages.js";
import { HeightReport, reportEvents } from "./reports.js";

// This page has an origin of its own, which can name no other: "*" is who embeds it, and the server lets
// nobody else than the application do that.
const say = (message: FromFrame) => window.parent.postMessage(message, "*");

const height = new HeightReport(document.body, say);

function follow(message: ToFrame): void {
  if (message.kind === "theme") return document.documentElement.setAttribute("style", message.css);
  const shown = message.look === "html" ? showHTML(message.source, document.body) : showJavaScript(message.source, document.body);
  shown.catch((error: unknown) => say({ kind: "error", text: String(error) }));
  height.begin();
}

window.addEventListener("message", (event) => {
  if (event.source !== window.parent) return;
  const message = parseToFrame(event.data);
  if (message) follow(message);
});
// No policy that all browsers know keeps WebRTC from the network; the server's Connection-Allowlist does where it is known.
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) Reflect.deleteProperty(window, name);
reportEvents(say);
say({ kind: "ready" });
