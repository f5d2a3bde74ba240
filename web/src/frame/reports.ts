import type { FromFrame } from "./messages.js";

type Say = (message: FromFrame) => void;

/** The time that a frame waits for a paint, in milliseconds. A frame out of sight is never painted. */
const unpainted = 200;

/** HeightReport reports the height of the content: at most once a frame, and only changes. */
export class HeightReport {
  readonly #body: HTMLElement;
  readonly #say: Say;
  #last = -1;
  #begun = false;
  #asked: { readonly frame: number; readonly timer: ReturnType<typeof setTimeout> } | undefined;

  constructor(body: HTMLElement, say: Say) {
    this.#body = body;
    this.#say = say;
  }

  /** Reports the height once there is content, without waiting for a paint, and then each change. */
  begin(): void {
    this.#report();
    if (this.#begun) return;
    this.#begun = true;
    new ResizeObserver(this.#ask).observe(this.#body);
    new MutationObserver(this.#ask).observe(this.#body, { subtree: true, childList: true, attributes: true, characterData: true });
    this.#body.addEventListener("load", this.#ask, true); // of pictures, which may overflow
  }

  readonly #ask = (): void => {
    this.#asked ??= { frame: requestAnimationFrame(this.#report), timer: setTimeout(this.#report, unpainted) };
  };

  readonly #report = (): void => {
    if (this.#asked) {
      cancelAnimationFrame(this.#asked.frame);
      clearTimeout(this.#asked.timer);
      this.#asked = undefined;
    }
    if (window.innerWidth === 0) return; // it is not laid out yet, and reports when it is
    const height = heightOf(this.#body);
    if (Math.abs(height - this.#last) < 1) return;
    this.#last = height;
    this.#say({ kind: "height", height });
  };
}

/** Returns the height of the content, with overflow and a scroll bar below. */
function heightOf(body: HTMLElement): number {
  const bar = window.innerHeight - document.documentElement.clientHeight;
  return Math.ceil(Math.max(body.getBoundingClientRect().height, body.scrollHeight)) + Math.max(0, bar);
}

/** Reports pressed keys and links, blocked resources and errors. */
export function reportEvents(sayAll: Say): void {
  const say = sparing(sayAll);
  window.addEventListener("click", (event) => reportLink(event, say));
  window.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented) say({ kind: "escape" });
  });
  window.addEventListener("error", (event) => event.message && say({ kind: "error", text: event.message }));
  window.addEventListener("unhandledrejection", (event) => say({ kind: "error", text: `Uncaught ${String(event.reason)}` }));
  document.addEventListener("securitypolicyviolation", (event) => say({ kind: "blocked", host: URL.parse(event.blockedURI)?.host ?? "" }));
}

const mostInSecond = 10; // of errors that may come a thousand at once

/** Limits the messages of each second: a frame that sends more than the page can read is stopped. */
function sparing(say: Say): Say {
  let since = Number.NEGATIVE_INFINITY;
  let count = 0;
  return (message) => {
    const now = performance.now();
    if (now - since > 1000) [since, count] = [now, 0];
    if (count++ < mostInSecond) say(message);
  };
}

function reportLink(event: MouseEvent, say: Say): void {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  const address = link?.getAttribute("href") ?? link?.getAttribute("xlink:href") ?? undefined;
  if (address === undefined || address.startsWith("#")) return;
  event.preventDefault();
  if (URL.canParse(address)) say({ kind: "link", href: address });
}
