import { useCallback, useEffect, useState } from "react";
import { flushSync } from "react-dom";
import { useClient } from "../core/hooks.js";

/**
 * Says whether an editor is to be made now, and gives what makes it be. While a notebook opens, its editors are
 * made one in a task, so that the page is seen and takes keys meanwhile; later there are few at a time.
 */
export function useTurn(): readonly [turn: boolean, hurry: () => void] {
  const { store } = useClient();
  const [turn, setTurn] = useState(() => store.live());
  useEffect(() => {
    if (turn) return undefined;
    const timer = setTimeout(() => flushSync(() => setTurn(true)));
    return () => clearTimeout(timer);
  }, [turn]);
  return [turn, useCallback(() => setTurn(true), [])];
}
