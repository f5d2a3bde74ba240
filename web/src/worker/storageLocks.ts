/**
 * Locks is the part of the Web Locks API that holds a replica for one worker. The browser releases a lock when its worker ends,
 * for whatever reason.
 */
export interface Locks {
  request(name: string, options: { readonly ifAvailable: true }, held: (lock: object | null) => Promise<void>): Promise<unknown>;
  query(): Promise<{ readonly held?: readonly { readonly name?: string }[] }>;
}

/** Channel is the part of a BroadcastChannel that reaches the other workers of this browser. */
export interface Channel {
  postMessage(message: Word): void;
  onmessage: ((event: MessageEvent<Word>) => void) | null;
}

/** Word is a message between workers about a replica: a question for its holder, or the holder's answer. */
interface Word {
  readonly kind: "who" | "mine";
  readonly name: string;
}

/** The time that other workers have to claim a replica as held, in milliseconds. */
const patience = 3_000;

/** Holds are the locks of this worker. */
export class Holds {
  readonly #locks: Locks;
  readonly #channel: Channel | undefined;
  readonly #release = new Map<string, () => void>();
  readonly #asking = new Map<string, (held: boolean) => void>();

  constructor(locks: Locks, channel?: Channel) {
    this.#locks = locks;
    this.#channel = channel;
    if (channel) channel.onmessage = ({ data }) => this.#hear(channel, data);
  }

  #hear(channel: Channel, { kind, name }: Word): void {
    if (kind === "mine") this.#asking.get(name)?.(true);
    else if (this.#release.has(name) && !this.#asking.has(name)) channel.postMessage({ kind: "mine", name });
  }

  /** Takes the lock of a replica, if it is free. */
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

  /**
   * Asks whether another worker holds a replica. After the browser cleared the data of the site a free lock does not prove
   * that: workers from before and from after do not see each other's locks.
   */
  async heldElsewhere(notebook: string, client: string): Promise<boolean> {
    const channel = this.#channel;
    if (!channel) return false;
    const name = nameOf(notebook, client);
    const held = await new Promise<boolean>((resolve) => {
      this.#asking.set(name, resolve);
      channel.postMessage({ kind: "who", name });
      setTimeout(() => resolve(false), patience);
    });
    this.#asking.delete(name);
    return held;
  }

  /** Returns the replicas of a notebook that no live worker holds. */
  async free(notebook: string, clients: readonly string[]): Promise<readonly string[]> {
    const { held = [] } = await this.#locks.query();
    const names = new Set(held.map(({ name }) => name));
    return clients.filter((client) => !names.has(nameOf(notebook, client)));
  }

  /** Releases a lock, if this worker has it. */
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
