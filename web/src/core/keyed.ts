/** Keyed holds the subscriptions to keys. */
export class Keyed {
  readonly #listeners = new Map<string, Set<() => void>>();

  /** Subscribes f to a key. Returns the unsubscribe function. */
  listen(key: string, f: () => void): () => void {
    const set = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, set.add(f));
    return () => {
      set.delete(f);
      if (set.size === 0 && this.#listeners.get(key) === set) this.#listeners.delete(key);
    };
  }

  /** Calls each subscriber of the keys once. */
  tell(keys: Iterable<string>): void {
    const called = new Set<() => void>();
    for (const key of keys) for (const f of this.#listeners.get(key) ?? []) called.add(f);
    for (const f of called) f();
  }
}
