import type { FromFrame } from "./messages.js";

type Say = (message: FromFrame) => void;

/** Reports how tall the content is: at most once a frame, and only if it changed. */
export function reportHeight(body: HTMLElement, say: Say): void {
  let last = -1;
  let asked = false;
  const report = () => {
    asked = false;
    const height = heightOf(body);
    if (Math.abs(height - last) < 1) return;
    last = height;
    say({ kind: "height", height });
  };
  const ask = () => {
    if (!asked) requestAnimationFrame(report);
    asked = true;
  };
  new ResizeObserver(ask).observe(body);
  new MutationObserver(ask).observe(body, { subtree: true, childList: true, attributes: true, characterData: true });
  body.addEventListener("load", ask, true); // of pictures, which may overflow
}

/** Returns the height of the content, with what overflows the body and a scroll bar below. */
function heightOf(body: HTMLElement): number {
  const bar = window.innerHeight - document.documentElement.clientHeight;
  return Math.ceil(Math.max(body.getBoundingClientRect().height, body.scrollHeight)) + Math.max(0, bar);
}

/** Reports what is pressed and what goes wrong. */
export function reportEvents(say: Say): void {
  window.addEventListener("click", (event) => reportLink(event, say));
  window.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented) say({ kind: "escape" });
  });
  window.addEventListener("error", (event) => event.message && say({ kind: "error", text: event.message }));
  window.addEventListener("unhandledrejection", (event) => say({ kind: "error", text: `Uncaught ${String(event.reason)}` }));
  document.addEventListener("securitypolicyviolation", (event) => say({ kind: "error", text: blocked(event.blockedURI) }));
}

function blocked(address: string): string {
  const host = URL.parse(address)?.host;
  return host ? `An output reaches no network: nothing was loaded from ${host}.` : "Something was not loaded, since an output reaches no network.";
}

function reportLink(event: MouseEvent, say: Say): void {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  const address = link?.getAttribute("href") ?? link?.getAttribute("xlink:href") ?? undefined;
  if (address === undefined || address.startsWith("#")) return;
  event.preventDefault();
  if (URL.canParse(address)) say({ kind: "link", href: address });
}
