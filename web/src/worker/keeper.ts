import type { Core } from "./core.js";
import { type Flush, type Kept, openStorage, type Storage } from "./storage.js";

/** The time in which changes are gathered before they are stored, in milliseconds. */
const gather = 50;
/** The pause before a failed flush is retried: each attempt has all pending changes. */
const pause = 5_000;
/** The time that the browser has to find the stored replica, in milliseconds: a frozen page may block the database. */
const patience = 10_000;

/** The part of the core that deals with storage. */
export type Storing = Pick<Core, "client" | "flush" | "stored" | "unstored">;

/** Keeper stores the data that the core of one notebook needs after this worker has ended. */
export class Keeper {
  /** The stored JSON, "" if there was none. */
  readonly json: string;
  readonly storage: Storage;
  readonly #notebook: string;
  readonly #claimed: string;
  #core: Storing | undefined;
  readonly #saved: (pending: number) => void;
  #client = "";
  #held = false;
  #planned = false;

  /** Kept is the claimed replica, if there was one. Saved is called with the number of pending events after each flush. */
  constructor(notebook: string, storage: Storage, kept: Kept | undefined, saved: (pending: number) => void = () => {}) {
    this.#notebook = notebook;
    this.storage = storage;
    this.#claimed = kept?.client ?? "";
    this.#saved = saved;
    this.json = kept ? jsonOf(kept) : "";
  }

  /** The stored replica. */
  get client(): string {
    return this.#client;
  }

  /** Ends storing. */
  end(): void {
    this.#core = undefined;
  }

  /** Starts to store the changes of a core. */
  async keep(core: Storing): Promise<void> {
    this.#client = core.client();
    const tell = (): void => {
      const state = this.storage.state();
      core.unstored(state.kind === "off" ? state.reason : "");
    };
    this.storage.onState(tell);
    if (this.storage.state().kind === "off") tell();
    this.#held = this.#client === this.#claimed;
    // The stored replica was unreadable: the core has reported that, and it must not be claimed for ever.
    if (!this.#held && this.#claimed !== "") await this.storage.forget(this.#notebook, this.#claimed);
    this.#core = core;
    await this.#flush();
  }

  /** Stores the changes soon. */
  changed(): void {
    if (this.#core && !this.#planned) this.#plan(gather);
  }

  #plan(wait: number): void {
    this.#planned = true;
    setTimeout(() => void this.#flush(), wait);
  }

  /** Stores all changes, including those made meanwhile. */
  async #flush(): Promise<void> {
    const core = this.#core;
    this.#planned = true;
    if (core && !(await this.#hold())) return this.#plan(pause);
    for (let json = core?.flush(); core && core === this.#core && json !== null && json !== undefined; json = core.flush()) {
      if (json instanceof Error) {
        core.unstored(json.message);
        break;
      }
      const flush: Flush = JSON.parse(json);
      const ok = await this.storage.save(this.#notebook, this.#client, flush);
      core.stored(ok);
      if (!ok) return this.#plan(pause);
      this.#saved(flush.pending);
    }
    this.#planned = false;
  }

  /** Holds the replica. The browser may refuse that for a moment: while it clears the site's data it opens no storage. */
  async #hold(): Promise<boolean> {
    this.#held ||= await this.storage.hold(this.#notebook, this.#client);
    return this.#held;
  }
}

/** Opens the storage and claims a stored replica of a notebook, if there is one and the browser finds it in time. */
export async function keeper(notebook: string, opening = openStorage()): Promise<Keeper> {
  const storage = await opening;
  let late = false;
  const claimed = storage.claim(notebook).then((kept) => {
    if (late && kept) storage.release(notebook, kept.client); // its pending events are sent as an orphan's
    return kept;
  });
  const timer = new Promise<undefined>((resolve) => {
    setTimeout(() => {
      late = true;
      resolve(undefined);
    }, patience);
  });
  return new Keeper(notebook, storage, await Promise.race([claimed, timer]));
}

/** Returns a stored replica in the form that its core reads. */
function jsonOf({ state, snapshot, events }: Kept): string {
  return JSON.stringify({ state, snapshot, events });
}
