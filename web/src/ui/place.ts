/** A box on the screen. */
interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const gap = 6;
const edge = 4;

/**
 * Returns the place of a box beside an anchor: below its middle, or above it on demand; on the other side if there is no space,
 * and never over the left and right edges of the screen.
 */
export function placeBeside(anchor: Box, size: Size, room: Size, above = false): { readonly left: number; readonly top: number } {
  const middle = anchor.left + anchor.width / 2 - size.width / 2;
  const below = anchor.top + anchor.height + gap;
  const over = anchor.top - gap - size.height;
  const fits = above ? over < edge : below + size.height + edge <= room.height;
  return {
    left: Math.max(edge, Math.min(middle, room.width - size.width - edge)),
    top: fits ? below : Math.max(edge, over),
  };
}
