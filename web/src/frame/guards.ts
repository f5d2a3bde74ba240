import type { FromFrame } from "./messages.js";

/**
 * Guards take from the programs of a frame what would reach the person beyond it: the keyboard, the clipboard and the
 * list of the Back button. They run before any content does and keep what they need of the browser for themselves. What
 * content finds in a frame within the frame they do not reach; the page gives the focus back whatever took it.
 */

const { apply } = Reflect;

/**
 * Lets programs move the focus within the frame while the frame has it, and tells the page when the frame is pressed. Returns what tells it
 * whether it was pressed just now, in a frame within it too.
 */
export function keepFocus(window: Window & typeof globalThis, say: (message: FromFrame) => void): () => void {
  const { document } = window;
  const { userActivation } = window.navigator;
  const isActive = Object.getOwnPropertyDescriptor(window.UserActivation?.prototype ?? {}, "isActive")?.get;
  const hasFocus = document.hasFocus.bind(document);
  keepPlace(window, hasFocus);
  for (const { prototype } of [window.HTMLElement, window.SVGElement, ...("MathMLElement" in window ? [window.MathMLElement] : [])]) {
    const { focus } = prototype;
    fix(prototype, "focus", function (this: HTMLElement, options?: FocusOptions) {
      if (hasFocus()) apply(focus, this, [options]);
    });
  }
  fix(window, "focus", () => undefined);

  const tell = (pressed: boolean): void => say({ kind: pressed ? "pressed" : "unpressed" });
  window.addEventListener("pointerdown", (event) => event.isTrusted && tell(true), true);
  return () => tell(isActive !== undefined && apply(isActive, userActivation, []) === true);
}

/** Keeps the place in the frame when the page took the focus back before it knew of a press, and gave it again. */
function keepPlace(window: Window & typeof globalThis, hasFocus: () => boolean): void {
  const { document } = window;
  const { focus } = window.HTMLElement.prototype;
  let place: Element | null = null;
  window.addEventListener("blur", () => (place = document.activeElement), true);
  window.addEventListener("focus", () => {
    if (place instanceof HTMLElement && place.isConnected && document.activeElement === document.body && hasFocus()) apply(focus, place, [{ preventScroll: true }]);
  }, true);
}

const copies: readonly string[] = ["copy", "cut", "paste"];

/** Keeps programs from the clipboard. A person copies what they have selected by their own keys, and nothing else. */
export function keepClipboard(window: Window & typeof globalThis): void {
  const { prototype } = window.Document;
  const { execCommand } = prototype;
  fix(prototype, "execCommand", function (this: Document, command: string, ...rest: readonly unknown[]) {
    const name = String(command);
    return !copies.includes(name.toLowerCase()) && apply(execCommand, this, [name, ...rest]);
  });
  for (const name of copies) window.addEventListener(name, (event) => event.stopImmediatePropagation(), true);
  fix(window.Navigator.prototype, "clipboard", undefined);
}

/**
 * Keeps what programs do from the list of the Back button. States are kept here; a new fragment, which nothing can keep from
 * the list, is gone back from at once.
 */
export function keepHistory(window: Window & typeof globalThis): void {
  const { history, History } = window;
  const real = Object.getOwnPropertyDescriptor(History.prototype, "state")?.get;
  const back = history.back.bind(history);
  const home = crypto.getRandomValues(new Uint32Array(2)).join();
  history.replaceState(home, "");
  window.addEventListener("hashchange", () => real && apply(real, history, []) !== home && back(), true);
  let state: unknown = null;
  for (const name of ["pushState", "replaceState"]) fix(History.prototype, name, (given: unknown) => void (state = structuredClone(given)));
  Object.defineProperty(History.prototype, "state", { get: () => state, configurable: false });
}

/** Puts a value for good in place of what an object of the browser has. */
function fix(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, configurable: false, writable: false, enumerable: true });
}
