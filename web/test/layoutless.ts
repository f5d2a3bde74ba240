/**
 * Gives the ranges of a document without layout, as tests have it, the rectangles that an editor measures: none.
 * Returns what takes that back.
 */
export function layoutless(): () => void {
  const before = Object.getOwnPropertyDescriptor(Range.prototype, "getClientRects");
  Object.defineProperty(Range.prototype, "getClientRects", { configurable: true, value: () => [] });
  return () => {
    if (before) Object.defineProperty(Range.prototype, "getClientRects", before);
    else Reflect.deleteProperty(Range.prototype, "getClientRects");
  };
}
