import type { Core } from "./core.js";
import { type Flush, openStorage, type Storage } from "./storage.js";

/** How long changes are gathered before they are stored, in milliseconds. */
const gather = 50;
/** How long it takes until what could not be stored is tried again: each try has all there is. */
const pause = 5_000;

/** Keeper stores what the core of one notebook has to have when this worker is gone. */
export class Keeper {
  /** The JSON of what was kept, "" if there was nothing. */
  readonly json: string;
  readonly #notebook: string;
  readonly #storage: Storage;
  readonly #claimed: string;
  #core: Core | undefined;
  #client = "";
  #planned = false;

  constructor(notebook: string, storage: Storage, claimed: string, json: string) {
    this.#notebook = notebook;
    this.#storage = storage;
    this.#claimed = claimed;
    this.json = json;
  }

  /** Begins to store what happens in a core. */
  async keep(core: Core): Promise<void> {
    this.#client = core.client();
    const tell = (): void => {
      const state = this.#storage.state();
      core.unstored(state.kind === "off" ? state.reason : "");
    };
    this.#storage.onState(tell);
    if (this.#client !== this.#claimed) {
      // What was kept could not be read: the core has said so, and it must not be claimed for ever.
      if (this.#claimed !== "") await this.#storage.forget(this.#notebook, this.#claimed);
      if (!(await this.#storage.hold(this.#notebook, this.#client))) return tell();
    }
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
    for (let json = core?.flush(); core && json !== null && json !== undefined; json = core.flush()) {
      if (json instanceof Error) {
        core.unstored(json.message);
        break;
      }
      const flush: Flush = JSON.parse(json);
      const ok = await this.#storage.save(this.#notebook, this.#client, flush);
      core.stored(ok);
      if (!ok) return this.#plan(pause);
    }
    this.#planned = false;
  }
}

/** Opens the storage and takes over what is kept of a notebook, if anything is. */
export async function keeper(notebook: string): Promise<Keeper> {
  const storage = await openStorage();
  const kept = await storage.claim(notebook);
  if (!kept) return new Keeper(notebook, storage, "", "");
  const { client, ...rest } = kept;
  return new Keeper(notebook, storage, client, JSON.stringify(rest));
}
