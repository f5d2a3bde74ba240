import type { Core } from "./core.js";
import { type Flush, type Kept, openStorage, type Storage } from "./storage.js";

/** How long changes are gathered before they are stored, in milliseconds. */
const gather = 50;
/** How long it takes until what could not be stored is tried again: each try has all there is. */
const pause = 5_000;
/** How long the browser may take to find what is kept, in milliseconds: a page that is frozen may have the database to itself. */
const patience = 10_000;

/** What of a core has to do with what is stored of it. */
export type Storing = Pick<Core, "client" | "flush" | "stored" | "unstored">;

/** Keeper stores what the core of one notebook has to have when this worker is gone. */
export class Keeper {
  /** The JSON of what was kept, "" if there was nothing. */
  readonly json: string;
  readonly storage: Storage;
  readonly #notebook: string;
  readonly #claimed: string;
  #core: Storing | undefined;
  readonly #saved: (pending: number) => void;
  #client = "";
  #held = false;
  #planned = false;

  /** Kept is what was taken over, if anything was. Saved is told how much was still to be sent in what was stored. */
  constructor(notebook: string, storage: Storage, kept: Kept | undefined, saved: (pending: number) => void = () => {}) {
    this.#notebook = notebook;
    this.storage = storage;
    this.#claimed = kept?.client ?? "";
    this.#saved = saved;
    this.json = kept ? jsonOf(kept) : "";
  }

  /** The replica that is kept. */
  get client(): string {
    return this.#client;
  }

  /** Stores nothing more. */
  end(): void {
    this.#core = undefined;
  }

  /** Begins to store what happens in a core. */
  async keep(core: Storing): Promise<void> {
    this.#client = core.client();
    const tell = (): void => {
      const state = this.storage.state();
      core.unstored(state.kind === "off" ? state.reason : "");
    };
    this.storage.onState(tell);
    if (this.storage.state().kind === "off") tell();
    this.#held = this.#client === this.#claimed;
    // What was kept could not be read: the core has said so, and it must not be claimed for ever.
    if (!this.#held && this.#claimed !== "") await this.storage.forget(this.#notebook, this.#claimed);
    this.#core = core;
    await this.#flush();
  }

  /** Stores what changed, soon. */
  changed(): void {
    if (this.#core && !this.#planned) this.#plan(gather);
  }

  #plan(wait: number): void {
    this.#planned = true;
    setTimeout(() => void this.#flush(), wait);
  }

  /** Stores all that there is to store, also what changes meanwhile. */
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

  /** Holds the replica, which the browser may refuse for a moment: while it clears the data of the site it opens no storage. */
  async #hold(): Promise<boolean> {
    this.#held ||= await this.storage.hold(this.#notebook, this.#client);
    return this.#held;
  }
}

/** Opens the storage and takes over what is kept of a notebook, if anything is and the browser finds it in time. */
export async function keeper(notebook: string, opening = openStorage()): Promise<Keeper> {
  const storage = await opening;
  let late = false;
  const claimed = storage.claim(notebook).then((kept) => {
    if (late && kept) storage.release(notebook, kept.client); // so that the orphans sends what it has
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

/** Returns what was kept of a replica as its core reads it. */
function jsonOf({ state, snapshot, events }: Kept): string {
  return JSON.stringify({ state, snapshot, events });
}
