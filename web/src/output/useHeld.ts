import { type RefObject, useLayoutEffect, useRef } from "react";
import type { OutputID, RunID } from "../core/event.js";
import { onSize } from "../ui/onSize.js";

const hold = 1000; // milliseconds until a run's first outputs

/** Keeps the height of a cell for a moment when a run replaces its outputs, so the page does not jump while the new ones arrive. */
export function useHeld(element: RefObject<HTMLElement | null>, ids: readonly OutputID[], run: RunID | undefined): void {
  const height = useRef(0);
  const before = useRef({ ids, run });

  useLayoutEffect(() => {
    const box = element.current;
    return box ? onSize([box], () => (height.current = box.offsetHeight)) : undefined;
  }, [element]);

  useLayoutEffect(() => {
    const box = element.current;
    const replaced = before.current.ids.some((id) => !ids.includes(id));
    if (box && replaced && before.current.run !== run) {
      box.style.minHeight = `${height.current}px`;
      setTimeout(() => (box.style.minHeight = ""), hold);
    }
    if (replaced || before.current.ids.length === 0) before.current = { ids, run };
    else before.current = { ids, run: before.current.run };
  }, [element, ids, run]);
}
