import type { FromFrame } from "./messages.js";

/**
 * Guards deny the programs of a frame access to the user outside of it: the keyboard, the clipboard and the history of the Back
 * button. They run before any content and keep their own references to the browser's functions. They do not reach content in a
 * frame within the frame; the page takes the focus back in any case.
 */

const { apply } = Reflect;

/**
 * Lets programs move the focus within the frame while the frame has it, and reports presses in the frame to the page. Returns a
 * function that reports whether it was pressed just now, in a frame within it too.
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

/** Restores the focused element when the page took the focus back before it knew of a press, and then returned it. */
function keepPlace(window: Window & typeof globalThis, hasFocus: () => boolean): void {
  const { document } = window;
  const { focus } = window.HTMLElement.prototype;
  let place: Element | null = null;
  window.addEventListener("blur", () => (place = document.activeElement), true);
  window.addEventListener(
    "focus",
    () => {
      if (place instanceof HTMLElement && place.isConnected && document.activeElement === document.body && hasFocus())
        apply(focus, place, [{ preventScroll: true }]);
    },
    true,
  );
}

const copies: readonly string[] = ["copy", "cut", "paste"];

/** Denies programs the clipboard. Only the user's own keys copy the selection. */
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
 * Keeps programs from adding to the history of the Back button. States are dropped; a new fragment, which cannot be prevented,
 * is undone by going back at once.
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

/** Replaces a property of a browser object for good. */
function fix(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, configurable: false, writable: false, enumerable: true });
}
