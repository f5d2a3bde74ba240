import type { Size } from "./imageSize.js";
import { weightOf } from "./svgWeight.js";

const mostShapes = 50_000;
const mostPixels = 100_000_000;

/** Reports whether the page itself paints so many shapes, which it does in a moment. */
export function isPaintable(shapes: number): boolean {
  return shapes <= mostShapes;
}

/** Returns how many shapes an SVG has for the page; without end if it has what takes any time, such as effects. */
export function paintShapes(svg: string): number {
  const { shapes, isHard } = weightOf(svg);
  return isHard ? Number.POSITIVE_INFINITY : shapes;
}

/** Reports whether the page itself decodes a picture of a size, which takes four bytes for each of its pixels. */
export function isDecodable(size: Size | undefined): boolean {
  return size === undefined || size.width * size.height <= mostPixels;
}
