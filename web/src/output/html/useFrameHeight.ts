import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useClient } from "../../core/hooks.js";
import { FrameHeight, guessHeight } from "./frameHeight.js";
import { heightsOf } from "./keptHeights.js";

const rest = 300; // milliseconds without word of a height, after too many

interface Height {
  readonly height: number;
  /** The frame has said how tall it is, and so shows what it has to. */
  readonly said: boolean;
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
  const [said, setSaid] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const apply = useCallback(() => {
    setHeight(frame.height);
    heights.set(id, frame.height);
  }, [frame, heights, id]);

  const take = useCallback((now: number) => {
    setSaid(true);
    frame.take(now, performance.now());
    clearTimeout(timer.current);
    if (frame.waits) timer.current = setTimeout(() => (frame.release(performance.now()), apply()), rest);
    apply();
  }, [frame, apply]);

  useEffect(() => () => clearTimeout(timer.current), []);
  return { height, said, take, reset: useCallback(() => frame.reset(), [frame]) };
}
