import type { Store } from "../../core/store.js";
import type { Size } from "../image/imageSize.js";

const remembered = new WeakMap<Store, Map<string, Size>>();

/** Returns the sizes of a notebook's pictures that were here before, by hash: there is room for one that comes again. */
export function sizesOf(store: Store): Map<string, Size> {
  const sizes = remembered.get(store) ?? new Map<string, Size>();
  remembered.set(store, sizes);
  return sizes;
}
