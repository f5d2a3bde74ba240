/** Returns no rectangles for ranges of a document without layout, as in tests. Returns the function that restores the method. */
export function layoutless(): () => void {
  const before = Object.getOwnPropertyDescriptor(Range.prototype, "getClientRects");
  Object.defineProperty(Range.prototype, "getClientRects", { configurable: true, value: () => [] });
  return () => {
    if (before) Object.defineProperty(Range.prototype, "getClientRects", before);
    else Reflect.deleteProperty(Range.prototype, "getClientRects");
  };
}
