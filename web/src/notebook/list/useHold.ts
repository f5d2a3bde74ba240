import { type RefObject, useCallback, useLayoutEffect, useRef } from "react";
import { Hold } from "../state/hold.js";
import { usePage } from "../state/page.js";

/** Holds the caret's line in place in the list. Returns a function to call after a change of the layout. */
export function useHold(view: RefObject<HTMLElement | null>, list: RefObject<HTMLElement | null>): () => void {
  const { hold: handle } = usePage();
  const hold = useRef<Hold>(undefined);
  useLayoutEffect(() => {
    if (!view.current || !list.current) return undefined;
    const made = new Hold(view.current, list.current);
    const stop = made.listen();
    hold.current = made;
    handle.current = made;
    return () => {
      stop();
      hold.current = undefined;
      handle.current = undefined;
    };
  }, [view, list, handle]);
  return useCallback(() => hold.current?.keep(), []);
}
