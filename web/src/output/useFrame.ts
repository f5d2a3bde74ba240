import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { type FromFrame, parseFromFrame, type ToFrame } from "../frame/messages.js";
import { useFrameHeight } from "./useFrameHeight.js";
import { useFrameTheme } from "./useFrameTheme.js";

const patience = 15_000; // milliseconds until a frame that said nothing is given up
const mostErrors = 3;

/** Frame is a frame as far as its output has to know. */
export interface Frame {
  readonly height: number;
  /** There is nothing in it to be seen yet. */
  readonly waits: boolean;
  /** What went wrong in it. */
  readonly errors: readonly string[];
  /** Where a link leads that was pressed in it. */
  readonly link: URL | undefined;
  forgetLink(): void;
}

/** Shows content in a frame, and does the little that the frame may ask for. */
export function useFrame(element: RefObject<HTMLIFrameElement | null>, id: string, content: Extract<ToFrame, { kind: "show" }>, near: boolean): Frame {
  const { height, said, take, reset } = useFrameHeight(id, content.source);
  const [errors, setErrors] = useState<readonly string[]>([]);
  const [link, setLink] = useState<URL>();
  const [ready, setReady] = useState(0);
  const lastReady = useRef(Number.NEGATIVE_INFINITY);
  const theme = useFrameTheme();

  const addError = useCallback((text: string) => {
    setErrors((old) => (old.includes(text) || old.length >= mostErrors ? old : [...old, text]));
  }, []);

  const follow = useCallback((message: FromFrame) => {
    switch (message.kind) {
      case "ready":
        // A frame that is moved in the page starts anew; content that makes it do so again and again is left alone.
        if (performance.now() - lastReady.current < 1000) return;
        lastReady.current = performance.now();
        return setReady((count) => count + 1);
      case "height":
        return take(message.height);
      case "link":
        return isPressed(element.current) ? setLink(webURL(message.href)) : undefined;
      case "escape":
        return leave(element.current);
      case "error":
        return addError(message.text);
    }
  }, [addError, element, take]);
  useMessages(element, follow);

  useLayoutEffect(() => send(ready, element.current, theme), [ready, element, theme]);
  useLayoutEffect(() => {
    reset();
    setErrors([]);
    send(ready, element.current, content);
  }, [ready, element, reset, content]);

  useEffect(() => {
    if (!near || ready > 0) return undefined;
    const giveUp = setTimeout(() => addError("What shows this output did not load. Reload the page to try again."), patience);
    return () => clearTimeout(giveUp);
  }, [near, ready, addError]);

  return { height, waits: !said && errors.length === 0, errors, link, forgetLink: () => setLink(undefined) };
}

/** Listens to what a frame says, and to nobody else. */
function useMessages(element: RefObject<HTMLIFrameElement | null>, follow: (message: FromFrame) => void): void {
  useEffect(() => {
    const listen = (event: MessageEvent) => {
      if (!element.current || event.source !== element.current.contentWindow) return;
      const message = parseFromFrame(event.data);
      if (message) follow(message);
    };
    window.addEventListener("message", listen);
    return () => window.removeEventListener("message", listen);
  }, [element, follow]);
}

/** The frame's origin has no name; what is said goes to that window whatever is in it, and holds no secret. */
function send(ready: number, frame: HTMLIFrameElement | null, message: ToFrame): void {
  if (ready > 0) frame?.contentWindow?.postMessage(message, "*");
}

/** Reports whether somebody is in the frame and pressed something just now. */
function isPressed(frame: HTMLIFrameElement | null): boolean {
  return frame !== null && document.activeElement === frame && (navigator.userActivation?.isActive ?? true);
}

function webURL(href: string): URL | undefined {
  const url = URL.parse(href);
  return url && (url.protocol === "http:" || url.protocol === "https:") ? url : undefined;
}

/** Gives the focus back to what the frame is in. */
function leave(frame: HTMLIFrameElement | null): void {
  if (!frame || document.activeElement !== frame) return;
  const outside = frame.closest("[data-group='cell']") ?? frame.parentElement?.closest("[tabindex]");
  if (outside instanceof HTMLElement) outside.focus({ preventScroll: true });
  else frame.blur();
}
