import { showHTML, showJavaScript } from "./content.js";
import "./frame.css";
import { keepClipboard, keepFocus, keepHistory } from "./guards.js";
import { type FromFrame, parseToFrame, type ToFrame } from "./messages.js";
import { HeightReport, reportEvents } from "./reports.js";

// This page has an origin of its own, which can name no other: "*" is who embeds it, and the server lets
// nobody else than the application do that. What the frame shows may put something else in the place of both.
const page = window.parent;
const { postMessage } = MessagePort.prototype;
const { apply } = Reflect;
let port: MessagePort | undefined;

/** Says something by the channel that the page gave, which content has no part in, or until there is one to the page's window. */
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

// What the page says is for this program alone: it is the first listener, and the last.
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
// No policy that all browsers know keeps WebRTC from the network; the server's Connection-Allowlist does where it is known.
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) Reflect.deleteProperty(window, name);
reportEvents(say);
// Content that led its frame to another address of this page would fill the list of the Back button with them.
if (location.search === "" && location.hash === "") say({ kind: "ready" });
else say({ kind: "error", text: "This output led its frame elsewhere, and ended so." });
