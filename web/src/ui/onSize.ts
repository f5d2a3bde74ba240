/** Calls f when one of the elements changes its size, and once at first. Returns the function that ends this. */
export function onSize(elements: Iterable<Element>, f: () => void): () => void {
  if (typeof ResizeObserver === "undefined") return () => undefined; // without layout
  const observer = new ResizeObserver(f);
  for (const element of elements) observer.observe(element);
  return () => observer.disconnect();
}
