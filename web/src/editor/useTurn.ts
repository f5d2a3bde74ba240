import { useCallback, useLayoutEffect, useState } from "react";
import { useClient } from "../core/hooks.js";
import type { Store } from "../core/store.js";
import { Scheduler } from "./scheduler.js";

const schedulers = new WeakMap<Store, Scheduler>();

/**
 * Says whether an editor is to be made now, and gives what makes it be. While a notebook opens, the first of its
 * editors is made with the page and then one for each paint; later there are few at a time.
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
