/** Calls f when elements got another size, once at first, until the function that is returned is called. */
export function onSize(elements: Iterable<Element>, f: () => void): () => void {
  if (typeof ResizeObserver === "undefined") return () => undefined; // where nothing is laid out
  const observer = new ResizeObserver(f);
  for (const element of elements) observer.observe(element);
  return () => observer.disconnect();
}
