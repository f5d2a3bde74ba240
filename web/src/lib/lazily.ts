import { useEffect, useState } from "react";
import { retried } from "./retry.js";

/** Lazy is a module that is loaded on first use. */
export interface Lazy<T> {
  /** Returns the module if it is loaded. */
  get(): T | undefined;
  /** Loads the module, once. A failure is retried until it succeeds: the server may be away for a moment. */
  load(): Promise<T>;
}

/** The failures in a row, with an answering server, that indicate another build of the page. */
const mostFailures = 3;

/** Returns a lazy module. */
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

/** Dispatches quire:outdated if the server answers: then it no longer has the requested file, and the page is older than the server. */
async function tellIfGone(): Promise<void> {
  const answer = await fetch("/api/health").catch(() => undefined);
  if (answer?.ok) dispatchEvent(new Event("quire:outdated"));
}

/** Returns a module once it is loaded, and loads it if it is needed. Until then the component renders without it. */
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
