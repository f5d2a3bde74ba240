import { useEffect, useState } from "react";
import { retried } from "./retry.js";

/** Lazy is a module that is loaded when something first needs it. */
export interface Lazy<T> {
  /** Returns the module if it is here. */
  get(): T | undefined;
  /** Loads it, once. What fails is tried again until it is here: the server may be away for a moment. */
  load(): Promise<T>;
}

/** How many failures in a row, from a server that answers, say that the server has another build of the page. */
const mostFailures = 3;

/** Returns a module that is loaded when something first needs it. */
export function lazily<T>(load: () => Promise<T>): Lazy<T> {
  let here: T | undefined;
  let coming: Promise<T> | undefined;
  return {
    get: () => here,
    load() {
      coming ??= retried(load, (_, failures) => void (failures >= mostFailures && tellIfGone())).then((module) => (here = module));
      return coming;
    },
  };
}

/** Tells the page that it is older than the server, which answers and does not have what the page asks for any more. */
async function tellIfGone(): Promise<void> {
  const answer = await fetch("/api/health").catch(() => undefined);
  if (answer?.ok) dispatchEvent(new Event("quire:outdated"));
}

/** Returns a module once it is here, and has it loaded if it is needed. Until then what is shown is shown without it. */
export function useLazily<T>(lazy: Lazy<T>, needed = true): T | undefined {
  const [, setLoaded] = useState(false);
  useEffect(() => {
    if (!needed || lazy.get()) return undefined;
    let gone = false;
    void lazy.load().then(() => gone || setLoaded(true));
    return () => {
      gone = true;
    };
  }, [lazy, needed]);
  return needed ? lazy.get() : undefined;
}
