import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useClient } from "../core/hooks.js";
import type { Store } from "../core/store.js";
import { FrameHeight, guessHeight } from "./frameHeight.js";

const rest = 300; // milliseconds without word of a height, after too many

const remembered = new WeakMap<Store, Map<string, number>>();

interface Height {
  readonly height: number;
  /** Takes in what the frame says. */
  take(height: number): void;
  /** Begins anew, for other content. */
  reset(): void;
}

/** Says how tall an output's frame is: as it was when it was last in the page, until it says more. */
export function useFrameHeight(id: string, source: string): Height {
  const { store } = useClient();
  const heights = useMemo(() => heightsOf(store), [store]);
  // A guess is for the start alone: other content later has a height to go on from.
  const frame = useMemo(() => new FrameHeight(heights.get(id) ?? guessHeight(source)), [heights, id]);
  const [height, setHeight] = useState(frame.height);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const apply = useCallback(() => {
    setHeight(frame.height);
    heights.set(id, frame.height);
  }, [frame, heights, id]);

  const take = useCallback((said: number) => {
    frame.take(said, performance.now());
    clearTimeout(timer.current);
    if (frame.waits) timer.current = setTimeout(() => (frame.release(performance.now()), apply()), rest);
    apply();
  }, [frame, apply]);

  useEffect(() => () => clearTimeout(timer.current), []);
  return { height, take, reset: useCallback(() => frame.reset(), [frame]) };
}

function heightsOf(store: Store): Map<string, number> {
  const heights = remembered.get(store) ?? new Map<string, number>();
  remembered.set(store, heights);
  return heights;
}
