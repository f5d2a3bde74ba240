import type { Batch, Refusal } from "../core/view.js";
import type { Core, Lent } from "./core.js";
import { Keeper, type Storing } from "./keeper.js";
import type { Storage } from "./storage.js";

/** The interval between searches for orphans, in milliseconds. */
const interval = 10_000;

/** Deps are the dependencies of Orphans. */
export interface Deps {
  readonly notebook: string;
  readonly storage: Storage;
  readonly start: (lent: Lent) => Storing & Pick<Core, "open" | "take" | "end">;
  readonly dial: Lent["dial"];
  readonly id: () => string;
  /** Whether the server is reachable: an orphan taken while offline would only be kept from the next page. */
  readonly isOnline: () => boolean;
  /** Called with the refused events of an orphan. */
  readonly refused: (refused: readonly Refusal[]) => void;
}

/**
 * Orphans sends the pending events of replicas whose pages have ended. Each is sent under the replica's own name, so no event
 * is sent twice. A reloaded page claims its replica itself, so an orphan is delivered only at the second search.
 */
export class Orphans {
  readonly #deps: Deps;
  #seen: ReadonlySet<string> = new Set();
  /** Replicas that could not be delivered, and never will be. */
  readonly #given = new Set<string>();
  #delivery: Delivery | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Searches periodically. Returns the function that ends this. */
  run(): () => void {
    const timer = setInterval(() => void this.look(), interval);
    return () => clearInterval(timer);
  }

  /** Delivers one replica that was already an orphan at the search before, if there is one. */
  async look(): Promise<void> {
    const { notebook, storage, isOnline } = this.#deps;
    if (this.#delivery) {
      if (!isOnline()) this.#delivery.end("later");
      return;
    }
    const left = isOnline() ? (await storage.left(notebook)).filter((client) => !this.#given.has(client)) : [];
    const client = left.find((one) => this.#seen.has(one));
    this.#seen = new Set(left);
    if (client !== undefined && !this.#delivery) await this.#deliver(client);
  }

  async #deliver(client: string): Promise<void> {
    const { notebook, storage } = this.#deps;
    const delivery = new Delivery(this.#deps);
    this.#delivery = delivery;
    const kept = await storage.take(notebook, client);
    if (kept) {
      const outcome = await delivery.make(new Keeper(notebook, storage, kept, (pending) => pending === 0 && delivery.end("sent")));
      if (outcome === "sent") await storage.forget(notebook, client);
      else storage.release(notebook, client);
      if (outcome === "never") this.#given.add(client);
    }
    this.#delivery = undefined;
  }
}

/** The result of a delivery. */
type Outcome = "sent" | "later" | "never";

/** Delivery is a core without a page, running while it has pending events. */
class Delivery {
  readonly #deps: Deps;
  readonly #ended: Promise<Outcome>;
  end: (outcome: Outcome) => void = () => {};

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  /** Sends the pending events. Resolves when that is done, or when end is called. */
  async make(keeper: Keeper): Promise<Outcome> {
    const { start, dial, id } = this.#deps;
    let look = (): void => {};
    const core = start({ dial, id, kept: keeper.json, changed: () => queueMicrotask(() => look()) });
    const page = core.open(0);
    look = () => {
      this.#see(core.take(page));
      keeper.changed();
    };
    await keeper.keep(core);
    const outcome = await this.#ended;
    look(); // the last refusals
    look = () => {};
    keeper.end();
    core.end();
    return outcome;
  }

  /** Passes on refusals, and gives up when the server ends the connection for good. */
  #see(json: string | null | Error): void {
    if (json === null) return;
    if (json instanceof Error) return this.end("never");
    const { refused, status }: Batch = JSON.parse(json);
    if (refused) this.#deps.refused(refused);
    if (status?.closed) this.end("never");
  }
}
