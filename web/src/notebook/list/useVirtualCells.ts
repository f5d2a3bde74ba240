import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { CellID } from "../../core/event.js";
import { type Range, windowed, within } from "../../lib/virtualList.js";
import type { Heights } from "./heights.js";

/** Window is the range of cells in the page. */
interface Window {
  readonly range: Range;
  /** Measures the element of a cell while it is in the page. */
  readonly observe: (element: HTMLElement) => () => void;
}

/** Keeps the visible cells and their neighbours in the page, and remembers their heights. */
export function useVirtualCells(
  view: RefObject<HTMLElement | null>,
  list: RefObject<HTMLElement | null>,
  cells: readonly CellID[],
  heights: Heights,
  onSized: () => void,
): Window {
  // An estimate before the first measurement.
  const [range, setRange] = useState(() => within(cells.length, (i) => heights.of(cells[i] ?? ""), 0, window.innerHeight));
  const latest = useRef(cells);
  const current = useRef(range);
  const more = useRef(0);
  const update = useCallback(() => {
    const box = view.current;
    if (!box || box.clientHeight === 0) return;
    const top = box.scrollTop - (list.current?.offsetTop ?? 0);
    const height = (i: number): number => heights.of(latest.current[i] ?? "");
    const next = windowed(latest.current.length, height, { top, height: box.clientHeight }, current.current);
    if (next === current.current) return;
    current.current = next;
    setRange(next);
    cancelAnimationFrame(more.current);
    more.current = requestAnimationFrame(update); // adds the next few
  }, [view, list, heights]);
  const observer = useRef<ResizeObserver>(undefined);
  const observe = useCallback(
    (element: HTMLElement) => {
      observer.current ??= new ResizeObserver((entries) => {
        for (const { target } of entries) measure(heights, target);
        onSized();
        update();
      });
      const now = observer.current;
      now.observe(element);
      return () => now.unobserve(element);
    },
    [heights, onSized, update],
  );

  useLayoutEffect(() => {
    latest.current = cells;
    update();
  }, [cells, update]);
  useEffect(() => {
    const box = view.current;
    if (!box) return;
    const resized = new ResizeObserver(() => {
      onSized();
      update();
    });
    resized.observe(box);
    if (list.current) resized.observe(list.current);
    box.addEventListener("scroll", update, { passive: true });
    return () => {
      resized.disconnect();
      box.removeEventListener("scroll", update);
    };
  }, [view, list, onSized, update]);
  useEffect(
    () => () => {
      observer.current?.disconnect();
      cancelAnimationFrame(more.current);
    },
    [],
  );
  return { range, observe };
}

function measure(heights: Heights, target: Element): void {
  if (target instanceof HTMLElement && target.isConnected && target.dataset["cell"] !== undefined)
    heights.measured(target.dataset["cell"], target.offsetHeight);
}
