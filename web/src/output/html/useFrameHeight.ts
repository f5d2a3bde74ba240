import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useClient } from "../../core/hooks.js";
import type { Store } from "../../core/store.js";
import { FrameHeight, guessHeight } from "./frameHeight.js";

const rest = 300; // milliseconds without a report, after too many

interface Height {
  readonly height: number;
  /** The frame has reported its height, so it shows its content. */
  readonly said: boolean;
  /** Takes a report of the frame. */
  take(height: number): void;
  /** Starts over, for other content. */
  reset(): void;
}

/** Returns the height of an output's frame: the last known one, until the frame reports another. */
export function useFrameHeight(id: string, source: string): Height {
  const { store } = useClient();
  const heights = useMemo(() => heightsOf(store), [store]);
  // The estimate is for the start alone: later content starts from the present height.
  const frame = useMemo(() => new FrameHeight(heights.get(id) ?? guessHeight(source)), [heights, id]);
  const [height, setHeight] = useState(frame.height);
  const [said, setSaid] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const apply = useCallback(() => {
    setHeight(frame.height);
    heights.set(id, frame.height);
  }, [frame, heights, id]);

  const take = useCallback(
    (now: number) => {
      setSaid(true);
      frame.take(now, performance.now());
      clearTimeout(timer.current);
      if (frame.waits) timer.current = setTimeout(() => (frame.release(performance.now()), apply()), rest);
      apply();
    },
    [frame, apply],
  );

  useEffect(() => () => clearTimeout(timer.current), []);
  return { height, said, take, reset: useCallback(() => frame.reset(), [frame]) };
}

const key = "quire.heights";
const most = 500; // of the outputs shown last

const remembered = new WeakMap<Store, Map<string, number>>();

/** Returns the last heights of a notebook's outputs in this tab, including those before a reload. */
function heightsOf(store: Store): Map<string, number> {
  const known = remembered.get(store);
  if (known) return known;
  const heights = kept();
  remembered.set(store, heights);
  window.addEventListener("pagehide", () => keep(heights));
  return heights;
}

function kept(): Map<string, number> {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(key) ?? "{}");
    if (typeof value !== "object" || value === null) return new Map();
    return new Map(Object.entries(value).flatMap(([id, height]) => (typeof height === "number" && height >= 0 ? [[id, height]] : [])));
  } catch {
    return new Map(); // no storage, or invalid content
  }
}

/** Stores heights for this tab. Failures are ignored: heights are a convenience. */
function keep(heights: ReadonlyMap<string, number>): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(Object.fromEntries([...kept(), ...heights].slice(-most))));
  } catch {
    // Private windows and full disks: the heights last as long as the page.
  }
}
