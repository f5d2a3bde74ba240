import { type RefObject, useEffect, useState } from "react";

/** Says whether an element is, or was, within a screen of what is seen. */
export function useNear(element: RefObject<Element | null>): boolean {
  const [near, setNear] = useState(typeof IntersectionObserver === "undefined");
  useEffect(() => {
    if (near || !element.current) return undefined;
    const observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && setNear(true), { rootMargin: "100% 0px" });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, near]);
  return near;
}
