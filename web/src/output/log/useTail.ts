import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";

/** Tail is the position of a view relative to the end of its content. */
export interface Tail {
  /** The end is in view, and stays there as content is appended. */
  readonly atEnd: boolean;
  /** Scrolls to the end. */
  follow(): void;
  /** To be called after each scroll of the view. */
  onScroll(): void;
}

/**
 * Keeps the end of a box in view as its content grows, which a revision or a height reports, unless the reader scrolls away
 * from it. Content taller than the box is first shown from its start, unless it is live.
 */
export function useTail(box: RefObject<HTMLElement | null>, revision: number, height: number, live: boolean, onMove: (following: boolean) => void): Tail {
  const [atEnd, setAtEnd] = useState(true);
  const following = useRef(true);
  const first = useRef(true);
  const top = useRef(0);

  const onScroll = useCallback(() => {
    if (!box.current) return;
    const now = isAtEnd(box.current);
    // Growing content does not count as scrolling away: that goes up.
    if (now || box.current.scrollTop < top.current) following.current = now;
    top.current = box.current.scrollTop;
    setAtEnd(now);
    onMove(following.current);
  }, [box, onMove]);

  const follow = useCallback(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
    onScroll();
  }, [box, onScroll]);

  useLayoutEffect(() => {
    if (!box.current) return;
    if (first.current) following.current = live || isAtEnd(box.current);
    if (following.current) box.current.scrollTop = box.current.scrollHeight;
    first.current = false;
    onScroll();
    // Whether it is live matters at the start, not when that ends.
  }, [box, onScroll, revision, height]);

  return { atEnd, follow, onScroll };
}

function isAtEnd({ scrollTop, clientHeight, scrollHeight }: HTMLElement): boolean {
  return scrollTop + clientHeight >= scrollHeight - 8;
}
