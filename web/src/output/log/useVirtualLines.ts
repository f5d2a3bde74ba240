import { type RefObject, useCallback, useLayoutEffect, useState } from "react";
import { type LineView, type LineWindow, lineWindow, scrollToLine } from "../../lib/virtualList.js";
import { onSize } from "../../ui/onSize.js";

const guess = 20; // pixels of a line, where there is no layout

interface Lines {
  readonly window: LineWindow;
  readonly lineHeight: number;
  /** Is to be called whenever the box may have been scrolled, with whether it stays at its end as lines come. */
  onScroll(following: boolean): void;
  reveal(line: number): void;
}

/**
 * Says which of the lines of a box are to be in the page. All of them are, unless there are many. Those of a box that
 * stays at its end are known before the box is scrolled, so that lines that come are rendered once.
 */
export function useVirtualLines(box: RefObject<HTMLElement | null>, lines: number, many: boolean, live: boolean): Lines {
  const [place, setPlace] = useState<Place>({ scrollTop: live ? "end" : 0, height: 600, lineHeight: guess });

  const look = useCallback((following?: boolean) => {
    if (many && box.current) setPlace(placeOf(box.current, following));
  }, [box, many]);

  useLayoutEffect(() => {
    if (!many || !box.current) return undefined;
    look();
    return onSize([box.current], () => look());
  }, [box, many, look]);

  const view: LineView = { lines, ...place };
  const reveal = (line: number) => {
    if (box.current) box.current.scrollTop = scrollToLine(line, view);
  };
  const window = many ? lineWindow(view) : { start: 0, end: lines, top: 0, height: 0 };
  return { window, lineHeight: place.lineHeight, onScroll: look, reveal };
}

type Place = Omit<LineView, "lines">;

/** Returns what makes of the place that a box had the one that it has; where it is not said whether it stays at its end, that is as it was. */
function placeOf(box: HTMLElement, following: boolean | undefined): (old: Place) => Place {
  const lineHeight = Number.parseFloat(getComputedStyle(box).lineHeight) || guess;
  const height = box.clientHeight || 600;
  const top = box.scrollTop;
  const isScrolled = box.scrollHeight > box.clientHeight;
  return (old) => {
    const scrollTop = (following ?? old.scrollTop === "end") && isScrolled ? "end" : top;
    return old.scrollTop === scrollTop && old.height === height && old.lineHeight === lineHeight ? old : { scrollTop, height, lineHeight };
  };
}
