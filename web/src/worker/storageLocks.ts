/** Locks is what of the Web Locks API holds a replica for one worker. The browser lets go of a lock when its worker ends, however it does. */
export interface Locks {
  request(name: string, options: { readonly ifAvailable: true }, held: (lock: object | null) => Promise<void>): Promise<unknown>;
  query(): Promise<{ readonly held?: readonly { readonly name?: string }[] }>;
}

/** Holds are the locks that this worker has. */
export class Holds {
  readonly #locks: Locks;
  readonly #release = new Map<string, () => void>();

  constructor(locks: Locks) {
    this.#locks = locks;
  }

  /** Takes the lock of a replica, if nobody has it. */
  take(notebook: string, client: string): Promise<boolean> {
    const name = nameOf(notebook, client);
    return new Promise((resolve) => {
      const held = (lock: object | null): Promise<void> => {
        resolve(lock !== null);
        return lock === null ? Promise.resolve() : new Promise((release) => this.#release.set(name, release));
      };
      this.#locks.request(name, { ifAvailable: true }, held).catch(() => resolve(false));
    });
  }

  has(notebook: string, client: string): boolean {
    return this.#release.has(nameOf(notebook, client));
  }

  /** Returns those of a notebook's replicas that no live worker holds. */
  async free(notebook: string, clients: readonly string[]): Promise<readonly string[]> {
    const { held = [] } = await this.#locks.query();
    const names = new Set(held.map(({ name }) => name));
    return clients.filter((client) => !names.has(nameOf(notebook, client)));
  }

  /** Lets go of a lock, if this worker has it. */
  release(notebook: string, client: string): void {
    const name = nameOf(notebook, client);
    this.#release.get(name)?.();
    this.#release.delete(name);
  }

  releaseAll(): void {
    for (const release of this.#release.values()) release();
    this.#release.clear();
  }
}

function nameOf(notebook: string, client: string): string {
  return `quire:${notebook}:${client}`;
}
