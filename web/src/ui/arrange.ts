/** Keeps the order in which the children of an element were added, so React never moves one of them. */
export class Arrival {
  #keys: readonly string[] = [];

  /** Returns keys in the order in which they were added. */
  sorted(keys: readonly string[]): readonly string[] {
    const now = new Set(keys);
    const known = new Set(this.#keys);
    this.#keys = [...this.#keys.filter((key) => now.has(key)), ...keys.filter((key) => !known.has(key))];
    return this.#keys;
  }
}

/**
 * Puts children of an element into an order, before its other children. A removed and reinserted element loses the focus, and
 * its frames reload. So the focused child never moves, the fewest possible others do, and those by moveBefore, where the
 * browser supports it.
 */
export function arrange(parent: HTMLElement, order: readonly Element[]): void {
  const kept = keptOf(parent, order);
  let next: Element | null = [...parent.children].find((child) => !order.includes(child)) ?? null;
  for (const element of order.toReversed()) {
    if (!kept.has(element)) move(parent, element, next);
    next = element;
  }
}

function move(parent: HTMLElement, element: Element, before: Element | null): void {
  if ("moveBefore" in parent && typeof parent.moveBefore === "function") parent.moveBefore(element, before);
  else parent.insertBefore(element, before);
}

/** Returns the largest set of children that are already in order and include the focused one. */
function keptOf(parent: HTMLElement, order: readonly Element[]): ReadonlySet<Element> {
  const places = new Map([...parent.children].map((child, i) => [child, i]));
  const place = (element: Element): number => places.get(element) ?? -1;
  const focused = order.find((element) => element.contains(document.activeElement));
  const fixed = focused === undefined ? -1 : order.indexOf(focused);
  const fits = (element: Element, i: number): boolean => focused === undefined || Math.sign(i - fixed) === Math.sign(place(element) - place(focused));
  return new Set(longestRising(order.filter(fits), place));
}

function longestRising<T>(items: readonly T[], value: (item: T) => number): readonly T[] {
  const best: { readonly item: T; readonly length: number; readonly before: number }[] = [];
  for (const item of items) {
    let before = -1;
    for (let i = 0; i < best.length; i++) {
      const one = best[i];
      if (one && value(one.item) < value(item) && one.length > (best[before]?.length ?? 0)) before = i;
    }
    best.push({ item, length: (best[before]?.length ?? 0) + 1, before });
  }
  const rising: T[] = [];
  let at = best.reduce((most, { length }, i) => (length > (best[most]?.length ?? 0) ? i : most), -1);
  for (let one = best[at]; one; one = best[at]) {
    rising.unshift(one.item);
    at = one.before;
  }
  return rising;
}
