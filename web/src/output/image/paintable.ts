import type { Size } from "./imageSize.js";
import { weightOf } from "./svgWeight.js";

const mostShapes = 50_000;
const mostPixels = 100_000_000;

/** Reports whether the page itself paints a number of shapes: it takes only a moment. */
export function isPaintable(shapes: number): boolean {
  return shapes <= mostShapes;
}

/** Returns the number of shapes of an SVG; infinite if it has parts of unbounded cost, such as effects. */
export function paintShapes(svg: string): number {
  const { shapes, isHard } = weightOf(svg);
  return isHard ? Number.POSITIVE_INFINITY : shapes;
}

/** Reports whether the page itself decodes a picture of a size: each pixel takes four bytes. */
export function isDecodable(size: Size | undefined): boolean {
  return size === undefined || size.width * size.height <= mostPixels;
}
