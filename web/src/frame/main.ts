import { showHTML, showJavaScript } from "./content.js";
import "./frame.css";
import { keepClipboard, keepFocus, keepHistory } from "./guards.js";
import { type FromFrame, parseToFrame, type ToFrame } from "./messages.js";
import { HeightReport, reportEvents } from "./reports.js";

// This page has an opaque origin, which cannot be named: "*" is the embedding page, and the server lets only the application
// embed it. Content of the frame may replace both windows.
const page = window.parent;
const { postMessage } = MessagePort.prototype;
const { apply } = Reflect;
let port: MessagePort | undefined;

/** Sends over the channel that the page gave, which content has no access to; before there is one, to the page's window. */
const say = (message: FromFrame): void => {
  if (port) apply(postMessage, port, [message]);
  else page.postMessage(message, "*");
};

const height = new HeightReport(document.body, say);
const tellPressed = keepFocus(window, say);
keepClipboard(window);
keepHistory(window);

function follow(message: ToFrame): void {
  if (message.kind === "pressed") return tellPressed();
  if (message.kind === "theme") return document.documentElement.setAttribute("style", message.css);
  const shown = message.look === "html" ? showHTML(message.source, document.body) : showJavaScript(message.source, document.body);
  shown.catch((error: unknown) => say({ kind: "error", text: String(error) }));
  height.begin();
}

// The page's messages are for this program alone: it is the first listener, and it stops propagation.
const listen = (event: MessageEvent): void => {
  if (event.source !== page) return;
  event.stopImmediatePropagation();
  const [given] = event.ports;
  if (given && !port) {
    port = given;
    say({ kind: "ready" });
  }
  const message = parseToFrame(event.data);
  if (message) follow(message);
};
window.addEventListener("message", listen, true);
// No policy known to all browsers keeps WebRTC from the network; the server's Connection-Allowlist does where it is supported.
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) Reflect.deleteProperty(window, name);
reportEvents(say);
// Content that navigated its frame to another address of this page would fill the history of the Back button.
if (location.search === "" && location.hash === "") say({ kind: "ready" });
else say({ kind: "error", text: "This output led its frame elsewhere, and ended so." });
