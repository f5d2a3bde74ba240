import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useBack } from "../../core/hooks.js";
import { type FromFrame, parseFromFrame, type ToFrame } from "../../frame/messages.js";
import { MessageLimit } from "./messageLimit.js";
import { useFocusGuard } from "./useFocusGuard.js";
import { useFrameHeight } from "./useFrameHeight.js";
import { useFrameTheme } from "./useFrameTheme.js";

const patience = 15_000; // milliseconds until a frame that said nothing is given up
const mostErrors = 3;
const settled = 2000; // milliseconds after a page of ours has loaded, when it has long said so
const notLoaded = "What shows this output did not load. It is loaded again when the server is back; reload the page to try now.";

/** Frame is a frame as far as its output has to know. */
export interface Frame {
  readonly height: number;
  /** There is nothing in it to be seen yet. */
  readonly waits: boolean;
  /** Whence it wanted to load something; what went wrong in it then is no news. */
  readonly blocked: string | undefined;
  /** What went wrong in it. */
  readonly errors: readonly string[];
  /** Where a link leads that was pressed in it. */
  readonly link: URL | undefined;
  /** Which try to load it this is: each is made with an element of its own. */
  readonly tries: number;
  /** Why there is none any more: what it did kept a person from the page. */
  readonly stopped: Stopped | undefined;
  /** Shows it anew after it was stopped. */
  again(): void;
  /** Is told when the frame has loaded something. */
  loaded(): void;
  forgetLink(): void;
}

/** Channel is where a frame says what the page believes. */
interface Channel {
  readonly port: MessagePort;
  readonly messages: MessageLimit;
}

interface Loading {
  /** How often the element has loaded something. */
  readonly loads: number;
  readonly timer: ReturnType<typeof setTimeout> | undefined;
}

/** Stopped is what a frame did that kept a person from the page. */
export type Stopped = "messages" | "focus" | "elsewhere";

/** Shows content in a frame, and does the little that the frame may ask for. */
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
  const isHeard = useRef(false); // by its channel
  const loading = useRef<Loading>({ loads: 0, timer: undefined });
  const theme = useFrameTheme();

  const addError = useCallback((text: string) => {
    setErrors((old) => (old.includes(text) || old.length >= mostErrors ? old : [...old, text]));
  }, []);

  const stop = useCallback((why: Stopped) => {
    // At once: what it has said already is to find it gone.
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
  const { pressed, unpressed } = useFocusGuard(element, ask, useCallback(() => stop("focus"), [stop]));

  const follow = useCallback((message: FromFrame) => {
    switch (message.kind) {
      case "ready":
        clearTimeout(loading.current.timer);
        // A frame that is moved in the page starts anew; content that makes it do so again and again is left alone.
        if (performance.now() - lastReady.current < 1000) return;
        lastReady.current = performance.now();
        // A channel is for one start of one frame: what says that it is ready once more may be content that poses as it.
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
  }, [addError, element, take, renew]);
  const flood = useCallback(() => stop("messages"), [stop]);
  const heard = useCallback((message: FromFrame) => {
    if (message.kind === "ready") isHeard.current = true;
    else if (message.kind === "pressed") pressed();
    else if (message.kind === "unpressed") unpressed();
    else follow(message);
  }, [follow, pressed, unpressed]);
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

  useBack(useCallback(() => {
    if (!near || ready > 0) return;
    setErrors((old) => old.filter((text) => text !== notLoaded));
    renew();
  }, [near, ready, renew]));

  // A frame that is moved in the page loads our page once more, which answers on a channel, and is made anew. What else a frame
  // loads shows nothing, and each time it is a step for the Back button.
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
 * Listens to what a frame says, and to nobody else, until it says more than can be read. What is not
 * said on the channel is counted and left unread once there is one, for to read some megabytes takes seconds.
 */
function useMessages(element: RefObject<HTMLIFrameElement | null>, isHeard: RefObject<boolean>, follow: (message: FromFrame) => void, onFlood: () => void): void {
  const limit = useRef<{ readonly of: HTMLIFrameElement; readonly messages: MessageLimit }>(undefined);
  useEffect(() => {
    const listen = (event: MessageEvent): void => {
      const frame = element.current;
      if (!frame || !isWithin(event.source, frame.contentWindow)) return;
      if (limit.current?.of !== frame) limit.current = { of: frame, messages: new MessageLimit() };
      const { messages } = limit.current;
      const start = performance.now();
      if (!messages.take(start)) return onFlood();
      for (const port of event.ports) port.close(); // else it would keep all that is said to it
      if (event.ports.length > 0 && !messages.strange(start)) return onFlood();
      if (event.source !== frame.contentWindow || isHeard.current) return;
      const { data }: { readonly data: unknown } = event; // which is read now
      const end = performance.now();
      if (!messages.took(end, end - start)) return onFlood();
      const message = parseFromFrame(data);
      if (message) follow(message);
    };
    window.addEventListener("message", listen);
    return () => window.removeEventListener("message", listen);
  }, [element, isHeard, follow, onFlood]);
}

/** Reports whether what says something is a frame's window, or that of a frame within it, which may only be counted. */
function isWithin(source: MessageEventSource | null, window: Window | null): boolean {
  let at = source && "parent" in source ? source : null;
  for (let depth = 0; at && at !== at.parent && depth < 100; depth++) {
    if (at === window) return true;
    at = at.parent;
  }
  return false;
}

/** The frame's origin has no name; what is said goes to that window whatever is in it, and holds no secret. */
function send(ready: number, frame: HTMLIFrameElement | null, message: ToFrame, ports: MessagePort[] = []): void {
  if (ready > 0) frame?.contentWindow?.postMessage(message, "*", ports);
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
