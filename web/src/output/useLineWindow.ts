import { type RefObject, useCallback, useLayoutEffect, useState } from "react";
import { type LineWindow, scrollTo, type View, windowOf } from "./lineWindow.js";
import { onSize } from "./sizes.js";

const guess = 20; // pixels of a line, where there is no layout

interface Lines {
  readonly window: LineWindow;
  readonly lineHeight: number;
  /** Is to be called whenever the box may have been scrolled. */
  onScroll(): void;
  reveal(line: number): void;
}

/** Says which of the lines of a box are to be in the page. All of them are, unless there are many. */
export function useLineWindow(box: RefObject<HTMLElement | null>, lines: number, many: boolean): Lines {
  const [place, setPlace] = useState({ scrollTop: 0, height: 600, lineHeight: guess });

  const onScroll = useCallback(() => {
    if (!many || !box.current) return;
    const { scrollTop, clientHeight } = box.current;
    const lineHeight = Number.parseFloat(getComputedStyle(box.current).lineHeight) || guess;
    const height = clientHeight || 600;
    setPlace((old) => (old.scrollTop === scrollTop && old.height === height && old.lineHeight === lineHeight ? old : { scrollTop, height, lineHeight }));
  }, [box, many]);

  useLayoutEffect(() => {
    if (!many || !box.current) return undefined;
    onScroll();
    return onSize([box.current], onScroll);
  }, [box, many, onScroll]);

  const view: View = { lines, ...place };
  const reveal = (line: number) => {
    if (box.current) box.current.scrollTop = scrollTo(line, view);
  };
  const window = many ? windowOf(view) : { start: 0, end: lines, top: 0, height: 0 };
  return { window, lineHeight: place.lineHeight, onScroll, reveal };
}
