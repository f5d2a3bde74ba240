import { type RefObject, useLayoutEffect, useState } from "react";
import { Arrival, arrange } from "./arrange.js";

/** Returns the keys of a list in a stable order for React, and moves the elements with these keys (data-part) into the given order. */
export function useArranged(list: RefObject<HTMLElement | null>, keys: readonly string[]): readonly string[] {
  const [arrival] = useState(() => new Arrival());
  useLayoutEffect(() => {
    const elements = new Map(
      [...(list.current?.children ?? [])].flatMap((child) => (child instanceof HTMLElement ? [[child.dataset["part"], child] as const] : [])),
    );
    if (list.current)
      arrange(
        list.current,
        keys.flatMap((key) => elements.get(key) ?? []),
      );
  });
  return arrival.sorted(keys);
}
