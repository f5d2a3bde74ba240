import type { Store } from "../../core/store.js";
import type { Size } from "../image/imageSize.js";

const remembered = new WeakMap<Store, Map<string, Size>>();

/** Returns the known sizes of a notebook's pictures by hash, so a picture that appears again has its space at once. */
export function sizesOf(store: Store): Map<string, Size> {
  const sizes = remembered.get(store) ?? new Map<string, Size>();
  remembered.set(store, sizes);
  return sizes;
}
