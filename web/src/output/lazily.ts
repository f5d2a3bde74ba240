import { useEffect, useState } from "react";

/** Lazy is a module that is loaded when something first needs it. */
export interface Lazy<T> {
  /** Returns the module if it is here. */
  get(): T | undefined;
  /** Loads it, once; after a failure it is tried again. */
  load(): Promise<T>;
}

/** Returns a module that is loaded when something first needs it. */
export function lazily<T>(load: () => Promise<T>): Lazy<T> {
  let here: T | undefined;
  let coming: Promise<T> | undefined;
  return {
    get: () => here,
    load() {
      coming ??= load().then(
        (module) => (here = module),
        (error: unknown) => {
          coming = undefined;
          throw error;
        },
      );
      return coming;
    },
  };
}

/** Returns a module once it is here, and has it loaded if it is needed. A failure leaves what is shown without it. */
export function useLazily<T>(lazy: Lazy<T>, needed = true): T | undefined {
  const [, setLoaded] = useState(false);
  useEffect(() => {
    if (!needed || lazy.get()) return undefined;
    let gone = false;
    lazy.load().then(
      () => gone || setLoaded(true),
      () => undefined,
    );
    return () => {
      gone = true;
    };
  }, [lazy, needed]);
  return needed ? lazy.get() : undefined;
}
