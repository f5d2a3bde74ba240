import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useBack } from "../../core/hooks.js";
import { type FromFrame, parseFromFrame, type ToFrame } from "../../frame/messages.js";
import { MessageLimit } from "./messageLimit.js";
import { useFocusGuard } from "./useFocusGuard.js";
import { useFrameHeight } from "./useFrameHeight.js";
import { useFrameTheme } from "./useFrameTheme.js";

const patience = 15_000; // milliseconds until a silent frame is given up
const mostErrors = 3;
const settled = 2000; // milliseconds after a load of our page, in which it reports itself
const notLoaded = "What shows this output did not load. It is loaded again when the server is back; reload the page to try now.";

/** Frame is the state of a frame, as its output needs it. */
export interface Frame {
  readonly height: number;
  /** It has nothing to show yet. */
  readonly waits: boolean;
  /** The blocked host; errors after that are expected. */
  readonly blocked: string | undefined;
  /** The errors in it. */
  readonly errors: readonly string[];
  /** The address of a pressed link in it. */
  readonly link: URL | undefined;
  /** The number of attempts to load it: each has an element of its own. */
  readonly tries: number;
  /** The reason that it was removed: it kept the user from the page. */
  readonly stopped: Stopped | undefined;
  /** Shows it again after it was removed. */
  again(): void;
  /** Called when the frame has loaded a page. */
  loaded(): void;
  forgetLink(): void;
}

/** Channel is the trusted connection to a frame's program. */
interface Channel {
  readonly port: MessagePort;
  readonly messages: MessageLimit;
}

interface Loading {
  /** The number of pages that the element has loaded. */
  readonly loads: number;
  readonly timer: ReturnType<typeof setTimeout> | undefined;
}

/** Stopped is the behaviour of a frame that kept the user from the page. */
export type Stopped = "messages" | "focus" | "elsewhere";

/** Shows content in a frame, and handles its permitted requests. */
export function useFrame(element: RefObject<HTMLIFrameElement | null>, id: string, content: Extract<ToFrame, { kind: "show" }>, near: boolean): Frame {
  const { height, said, take, reset } = useFrameHeight(id, content.source);
  const [blocked, setBlocked] = useState<string>();
  const [errors, setErrors] = useState<readonly string[]>([]);
  const [link, setLink] = useState<URL>();
  const [ready, setReady] = useState(0);
  const [tries, setTries] = useState(0);
  const [stopped, setStopped] = useState<Stopped>();
  const lastReady = useRef(Number.NEGATIVE_INFINITY);
  const channel = useRef<Channel>(undefined);
  const isHeard = useRef(false); // over its channel
  const loading = useRef<Loading>({ loads: 0, timer: undefined });
  const theme = useFrameTheme();

  const addError = useCallback((text: string) => {
    setErrors((old) => (old.includes(text) || old.length >= mostErrors ? old : [...old, text]));
  }, []);

  const stop = useCallback((why: Stopped) => {
    // At once: messages that it has already sent must find it gone.
    flushSync(() => setStopped(why));
  }, []);
  const renew = useCallback(() => {
    channel.current?.port.close();
    [channel.current, lastReady.current] = [undefined, Number.NEGATIVE_INFINITY];
    clearTimeout(loading.current.timer);
    isHeard.current = false;
    loading.current = { loads: 0, timer: undefined };
    setReady(0);
    setTries((count) => count + 1);
  }, []);
  const ask = useCallback(() => element.current?.contentWindow?.postMessage({ kind: "pressed" } satisfies ToFrame, "*"), [element]);
  const { pressed, unpressed } = useFocusGuard(
    element,
    ask,
    useCallback(() => stop("focus"), [stop]),
  );

  const follow = useCallback(
    (message: FromFrame) => {
      switch (message.kind) {
        case "ready":
          clearTimeout(loading.current.timer);
          // A frame that is moved in the page reloads; content that causes this again and again is left alone.
          if (performance.now() - lastReady.current < 1000) return;
          lastReady.current = performance.now();
          // A channel belongs to one start of one frame: another "ready" may come from content that poses as the program.
          if (channel.current) return renew();
          return setReady(1);
        case "height":
          return take(message.height);
        case "link":
          return isPressed(element.current) ? setLink(webURL(message.href)) : undefined;
        case "escape":
          return leave(element.current);
        case "error":
          return addError(message.text);
        case "blocked":
          return setBlocked((before) => before ?? message.host);
      }
    },
    [addError, element, take, renew],
  );
  const flood = useCallback(() => stop("messages"), [stop]);
  const heard = useCallback(
    (message: FromFrame) => {
      if (message.kind === "ready") isHeard.current = true;
      else if (message.kind === "pressed") pressed();
      else if (message.kind === "unpressed") unpressed();
      else follow(message);
    },
    [follow, pressed, unpressed],
  );
  useMessages(element, isHeard, follow, flood);

  useLayoutEffect(() => {
    if (ready === 0 || channel.current) return send(ready, element.current, theme);
    const { port1, port2 } = new MessageChannel();
    channel.current = { port: port1, messages: new MessageLimit() };
    send(ready, element.current, theme, [port2]);
  }, [ready, element, theme]);
  useEffect(() => {
    if (!channel.current) return;
    const { port, messages } = channel.current;
    port.onmessage = ({ data }: MessageEvent) => {
      if (!messages.take(performance.now())) return flood();
      const message = parseFromFrame(data);
      if (message) heard(message);
    };
  }, [ready, heard, flood]);
  useEffect(() => () => channel.current?.port.close(), []);
  useLayoutEffect(() => {
    reset();
    setErrors([]);
    setBlocked(undefined);
    send(ready, element.current, content);
  }, [ready, element, reset, content]);

  useEffect(() => {
    if (!near || ready > 0) return undefined;
    const giveUp = setTimeout(() => addError(notLoaded), patience);
    return () => clearTimeout(giveUp);
  }, [near, ready, tries, addError]);

  useBack(
    useCallback(() => {
      if (!near || ready > 0) return;
      setErrors((old) => old.filter((text) => text !== notLoaded));
      renew();
    }, [near, ready, renew]),
  );

  // A frame that is moved in the page loads our page again, which answers on a channel, and is recreated. Any other page that
  // it loads shows nothing, and each load adds a step to the Back button.
  const loaded = () => {
    const { loads, timer } = loading.current;
    clearTimeout(timer);
    loading.current = { loads: loads + 1, timer: undefined };
    if (loads === 0) return;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => (port1.close(), renew());
    loading.current = { loads: loads + 1, timer: setTimeout(() => (port1.close(), stop("elsewhere")), settled) };
    element.current?.contentWindow?.postMessage(theme, "*", [port2]);
  };
  useEffect(() => () => clearTimeout(loading.current.timer), []);
  const again = () => {
    setStopped(undefined);
    renew();
  };
  return { height, waits: !said && errors.length === 0, blocked, errors, link, tries, stopped, again, loaded, forgetLink: () => setLink(undefined) };
}

/**
 * Listens to the messages of one frame, until it sends more than can be read. Once there is a channel, messages outside of it
 * are counted and left unread, because reading some megabytes takes seconds.
 */
function useMessages(
  element: RefObject<HTMLIFrameElement | null>,
  isHeard: RefObject<boolean>,
  follow: (message: FromFrame) => void,
  onFlood: () => void,
): void {
  const limit = useRef<{ readonly of: HTMLIFrameElement; readonly messages: MessageLimit }>(undefined);
  useEffect(() => {
    const listen = (event: MessageEvent): void => {
      const frame = element.current;
      if (!frame || !isWithin(event.source, frame.contentWindow)) return;
      if (limit.current?.of !== frame) limit.current = { of: frame, messages: new MessageLimit() };
      const { messages } = limit.current;
      const start = performance.now();
      if (!messages.take(start)) return onFlood();
      for (const port of event.ports) port.close(); // else it would keep all messages sent to it
      if (event.ports.length > 0 && !messages.strange(start)) return onFlood();
      if (event.source !== frame.contentWindow || isHeard.current) return;
      const { data }: { readonly data: unknown } = event; // this reads the message
      const end = performance.now();
      if (!messages.took(end, end - start)) return onFlood();
      const message = parseFromFrame(data);
      if (message) follow(message);
    };
    window.addEventListener("message", listen);
    return () => window.removeEventListener("message", listen);
  }, [element, isHeard, follow, onFlood]);
}

/** Reports whether a message comes from the frame's window, or from a frame within it, whose messages are only counted. */
function isWithin(source: MessageEventSource | null, window: Window | null): boolean {
  let at = source && "parent" in source ? source : null;
  for (let depth = 0; at && at !== at.parent && depth < 100; depth++) {
    if (at === window) return true;
    at = at.parent;
  }
  return false;
}

/** The frame's opaque origin cannot be named; the message goes to that window whatever its page, and holds no secret. */
function send(ready: number, frame: HTMLIFrameElement | null, message: ToFrame, ports: MessagePort[] = []): void {
  if (ready > 0) frame?.contentWindow?.postMessage(message, "*", ports);
}

/** Reports whether the focus is in the frame and the user pressed a key or button just now. */
function isPressed(frame: HTMLIFrameElement | null): boolean {
  return frame !== null && document.activeElement === frame && (navigator.userActivation?.isActive ?? true);
}

function webURL(href: string): URL | undefined {
  const url = URL.parse(href);
  return url && (url.protocol === "http:" || url.protocol === "https:") ? url : undefined;
}

/** Moves the focus back to the element around the frame. */
function leave(frame: HTMLIFrameElement | null): void {
  if (!frame || document.activeElement !== frame) return;
  const outside = frame.closest("[data-group='cell']") ?? frame.parentElement?.closest("[tabindex]");
  if (outside instanceof HTMLElement) outside.focus({ preventScroll: true });
  else frame.blur();
}
