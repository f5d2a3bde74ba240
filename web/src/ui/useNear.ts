import { type RefObject, useEffect, useLayoutEffect, useState } from "react";

/** Reports whether an element is, or was, within a screen of the visible part. */
export function useNear(element: RefObject<Element | null>): boolean {
  const [near, setNear] = useState(typeof IntersectionObserver === "undefined");
  // A visible element counts at once: the observer reports it after a paint, which is late on a busy machine.
  useLayoutEffect(() => {
    if (element.current && isNear(element.current)) setNear(true);
  }, [element]);
  useEffect(() => {
    if (near || !element.current) return undefined;
    const observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && setNear(true), { rootMargin: "100% 0px" });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, near]);
  return near;
}

function isNear(element: Element): boolean {
  const { top, bottom, width } = element.getBoundingClientRect();
  return width > 0 && bottom >= 0 && top <= window.innerHeight;
}
