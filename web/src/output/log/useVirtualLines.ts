import { type RefObject, useCallback, useLayoutEffect, useState } from "react";
import { type LineView, type LineWindow, lineWindow, scrollToLine } from "../../lib/virtualList.js";
import { onSize } from "../../ui/onSize.js";

const guess = 20; // pixels of a line, without layout

interface Lines {
  readonly window: LineWindow;
  readonly lineHeight: number;
  /** To be called after each scroll of the box, with whether it stays at its end as lines are appended. */
  onScroll(following: boolean): void;
  reveal(line: number): void;
}

/**
 * Returns the lines of a box that are in the page: all of them, unless there are many. For a box that stays at its end they are
 * computed before it is scrolled, so new lines are rendered once.
 */
export function useVirtualLines(box: RefObject<HTMLElement | null>, lines: number, many: boolean, live: boolean): Lines {
  const [place, setPlace] = useState<Place>({ scrollTop: live ? "end" : 0, height: 600, lineHeight: guess });

  const look = useCallback(
    (following?: boolean) => {
      if (many && box.current) setPlace(placeOf(box.current, following));
    },
    [box, many],
  );

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

/** Returns an update of the box's place. If following is undefined, a box at its end stays there. */
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
