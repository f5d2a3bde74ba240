import { type RefObject, useCallback, useEffect, useRef } from "react";

const patience = 300; // milliseconds for a frame to report whether it was pressed
const recently = 1000; // milliseconds since the last key during which another is likely
const mostTaken = 3;

/** FocusGuard takes the frame's reports about the cause of its focus. */
export interface FocusGuard {
  /** The user pressed in it. */
  pressed(): void;
  /** The user did not press in it. */
  unpressed(): void;
}

/**
 * Keeps a frame from taking the focus: it has it after a press in it, or after the Tab key. A focus that it takes by itself
 * returns to its owner, at once while the user types, and repeated takings are reported.
 */
export function useFocusGuard(element: RefObject<HTMLIFrameElement | null>, ask: () => void, onTaken: () => void): FocusGuard {
  const given = useRef(false);
  const taken = useRef<readonly number[]>([]); // times, in milliseconds
  const waiting = useRef<Waiting>(undefined);

  const refuse = useCallback(
    (to: HTMLElement | undefined) => {
      clearTimeout(waiting.current?.timer);
      waiting.current = undefined;
      if (given.current || !hasFocus(element.current)) return;
      giveBack(element.current, to);
      taken.current = [...taken.current, performance.now()];
      if (taken.current.length >= mostTaken) onTaken();
    },
    [element, onTaken],
  );

  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    let typed = Number.NEGATIVE_INFINITY;
    let left: HTMLElement | undefined; // just now
    document.addEventListener(
      "keydown",
      (event) => {
        given.current = event.key === "Tab";
        if (!given.current) typed = performance.now();
      },
      { capture: true, signal },
    );
    document.addEventListener("pointerdown", () => (given.current = false), { capture: true, signal });
    document.addEventListener("focusin", (event) => (given.current &&= event.target === element.current), { signal });
    document.addEventListener(
      "focusout",
      (event) => {
        left = event.target instanceof HTMLElement ? event.target : undefined;
        setTimeout(() => (left = undefined));
      },
      { signal },
    );
    window.addEventListener(
      "blur",
      () => {
        if (given.current || !hasFocus(element.current)) return;
        const to = left;
        if (performance.now() - typed < recently) return refuse(to);
        clearTimeout(waiting.current?.timer);
        waiting.current = { to, timer: setTimeout(() => refuse(to), patience) };
        ask();
      },
      { signal },
    );
    return () => {
      stop.abort();
      clearTimeout(waiting.current?.timer);
    };
  }, [element, ask, refuse]);

  return {
    pressed: useCallback(() => {
      clearTimeout(waiting.current?.timer);
      waiting.current = undefined;
      given.current = true;
      const last = taken.current.at(-1);
      if (last === undefined || performance.now() - last > patience) return;
      taken.current = taken.current.slice(0, -1); // it was a press after all, reported late
      element.current?.focus({ preventScroll: true });
    }, [element]),
    unpressed: useCallback(() => waiting.current && refuse(waiting.current.to), [refuse]),
  };
}

/** Waiting is a frame's focus whose cause is not known yet. */
interface Waiting {
  /** The owner of the focus before. */
  readonly to: HTMLElement | undefined;
  readonly timer: ReturnType<typeof setTimeout>;
}

function hasFocus(frame: HTMLIFrameElement | null): boolean {
  return frame !== null && document.activeElement === frame;
}

/** Returns the focus to an element, or to the page without one. */
function giveBack(frame: HTMLIFrameElement | null, to: HTMLElement | undefined): void {
  if (to?.isConnected) to.focus({ preventScroll: true });
  if (!hasFocus(frame)) return;
  frame?.blur();
  window.focus();
}
