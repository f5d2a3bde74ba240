import { type RefObject, useLayoutEffect, useState } from "react";
import { Arrival, arrange } from "./arrange.js";

/**
 * Returns the keys of a list in the order in which React is to have them, which never changes, and puts the elements
 * with these keys (data-part) into the order in which they are to be seen.
 */
export function useArranged(list: RefObject<HTMLElement | null>, keys: readonly string[]): readonly string[] {
  const [arrival] = useState(() => new Arrival());
  useLayoutEffect(() => {
    const elements = new Map([...(list.current?.children ?? [])].flatMap((child) => (child instanceof HTMLElement ? [[child.dataset["part"], child] as const] : [])));
    if (list.current) arrange(list.current, keys.flatMap((key) => elements.get(key) ?? []));
  });
  return arrival.sorted(keys);
}
