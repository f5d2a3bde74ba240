/** Keyed tells those who listen to a key that what is behind it changed. */
export class Keyed {
  readonly #listeners = new Map<string, Set<() => void>>();

  /** Calls f after each change of the key, until the function that is returned is called. */
  listen(key: string, f: () => void): () => void {
    const set = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, set.add(f));
    return () => {
      set.delete(f);
      if (set.size === 0 && this.#listeners.get(key) === set) this.#listeners.delete(key);
    };
  }

  /** Tells all who listen to one of the keys, each once. */
  tell(keys: Iterable<string>): void {
    const called = new Set<() => void>();
    for (const key of keys) for (const f of this.#listeners.get(key) ?? []) called.add(f);
    for (const f of called) f();
  }
}
