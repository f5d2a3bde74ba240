import { type RefObject, useLayoutEffect, useState } from "react";
import { onSize } from "./onSize.js";

/** Reports whether a box overflows. It is measured again whenever the revision or a size changes. */
export function useOverflow(box: RefObject<HTMLElement | null>, revision: unknown, onChange: ((tall: boolean) => void) | undefined): boolean {
  const [tall, setTall] = useState(false);

  useLayoutEffect(() => {
    if (box.current) setTall(isTall(box.current));
  }, [box, revision]);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    return onSize([element, ...element.children], () => setTall(isTall(element)));
  }, [box]);

  useLayoutEffect(() => onChange?.(tall), [tall, onChange]);
  return tall;
}

function isTall({ scrollHeight, clientHeight }: HTMLElement): boolean {
  return scrollHeight > clientHeight + 1;
}
