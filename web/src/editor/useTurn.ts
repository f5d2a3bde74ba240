import { useCallback, useLayoutEffect, useState } from "react";
import { useClient } from "../core/hooks.js";
import type { Store } from "../core/store.js";
import { Scheduler } from "./scheduler.js";

const schedulers = new WeakMap<Store, Scheduler>();

/**
 * Tells whether an editor is to be created now, and returns a function that forces it. While a notebook opens, its first editor
 * is created with the page and then one for each paint; later there are few at a time.
 */
export function useTurn(): readonly [turn: boolean, hurry: () => void] {
  const { store } = useClient();
  const [turn, setTurn] = useState(() => store.live());
  useLayoutEffect(() => {
    if (turn) return undefined;
    const scheduler = schedulers.get(store) ?? new Scheduler();
    schedulers.set(store, scheduler);
    return scheduler.schedule(() => setTurn(true));
  }, [store, turn]);
  return [turn, useCallback(() => setTurn(true), [])];
}
