/** Box is a vertical range, in pixels from the top of the screen. */
export interface Box {
  readonly top: number;
  readonly bottom: number;
}

/** Returns the distance to scroll so that a box is visible; its top if it is too tall for the view. */
export function scrollBy(box: Box, view: Box, where: "nearest" | "top", margin = 16): number {
  if (where === "top") return box.top - view.top - margin;
  const tall = box.bottom - box.top > view.bottom - view.top - 2 * margin;
  if (tall) return box.top > view.bottom - 3 * margin || box.bottom < view.top + 3 * margin ? box.top - view.top - margin : 0;
  if (box.top < view.top + margin) return box.top - view.top - margin;
  if (box.bottom > view.bottom - margin) return box.bottom - view.bottom + margin;
  return 0;
}

/** The most frames until all is in place: cells that come into view differ from their estimated heights. */
const frames = 12;

/**
 * Scrolls a view until an element in it is visible. The element may not be in the page at first: then the view scrolls to its
 * estimated place, and again while things still move.
 */
export function reveal(view: HTMLElement, find: () => HTMLElement | null, guess: () => number, where: "nearest" | "top"): () => void {
  let left = frames;
  let still = 0;
  let frame = 0;
  const look = (): void => {
    const by = distance(view, find(), guess, where);
    if (Math.abs(by) >= 1) view.scrollTop += by;
    const before = still;
    still = Math.abs(by) < 1 ? before + 1 : 0;
    if (--left > 0 && still < 2) frame = requestAnimationFrame(look);
  };
  look();
  return () => cancelAnimationFrame(frame);
}

function distance(view: HTMLElement, element: HTMLElement | null, guess: () => number, where: "nearest" | "top"): number {
  if (!element) return guess() - view.scrollTop;
  return scrollBy(element.getBoundingClientRect(), view.getBoundingClientRect(), where);
}
