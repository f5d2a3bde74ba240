import { useCallback, useLayoutEffect, useState } from "react";
import { useClient } from "../core/hooks.js";
import type { Store } from "../core/store.js";
import { Turns } from "./turns.js";

const turnsOf = new WeakMap<Store, Turns>();

/**
 * Says whether an editor is to be made now, and gives what makes it be. While a notebook opens, the first of its
 * editors is made with the page and then one for each paint; later there are few at a time.
 */
export function useTurn(): readonly [turn: boolean, hurry: () => void] {
  const { store } = useClient();
  const [turn, setTurn] = useState(() => store.live());
  useLayoutEffect(() => {
    if (turn) return undefined;
    const turns = turnsOf.get(store) ?? new Turns();
    turnsOf.set(store, turns);
    return turns.ask(() => setTurn(true));
  }, [store, turn]);
  return [turn, useCallback(() => setTurn(true), [])];
}
