import type { Batch, Refusal } from "../core/view.js";
import type { Core, Lent } from "./core.js";
import { Keeper, type Storing } from "./keeper.js";
import type { Storage } from "./storage.js";

/** How often it is looked for what others left, in milliseconds. */
const interval = 10_000;

/** What a orphans needs. */
export interface Deps {
  readonly notebook: string;
  readonly storage: Storage;
  readonly start: (lent: Lent) => Storing & Pick<Core, "open" | "take" | "end">;
  readonly dial: Lent["dial"];
  readonly id: () => string;
  /** Whether the server is there: to take over what cannot be sent would only keep it from the next page. */
  readonly isOnline: () => boolean;
  /** Is told what the server refused of it. */
  readonly refused: (refused: readonly Refusal[]) => void;
}

/**
 * Orphans sends what other pages of a notebook had typed and not sent when they ended, each time under the name of
 * the replica that it was typed in, so that nothing is sent twice. A page that was only reloaded
 * takes it over itself: the orphans leaves it that time.
 */
export class Orphans {
  readonly #deps: Deps;
  #seen: ReadonlySet<string> = new Set();
  /** Replicas that could not be delivered, and would not be the next time. */
  readonly #given = new Set<string>();
  #delivery: Delivery | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Looks now and then. Returns what ends that. */
  run(): () => void {
    const timer = setInterval(() => void this.look(), interval);
    return () => clearInterval(timer);
  }

  /** Delivers one replica that is left since the look before, if there is one. */
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

/** What became of a delivery. */
type Outcome = "sent" | "later" | "never";

/** Delivery is a core without a page that somebody sees, for as long as it has something to send. */
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

  /** Sends what there is. It resolves when that is done, or when somebody ends it. */
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
    look(); // what was refused last
    look = () => {};
    keeper.end();
    core.end();
    return outcome;
  }

  /** Passes on what was refused, and gives up when the server ends the connection for good. */
  #see(json: string | null | Error): void {
    if (json === null) return;
    if (json instanceof Error) return this.end("never");
    const { refused, status }: Batch = JSON.parse(json);
    if (refused) this.#deps.refused(refused);
    if (status?.closed) this.end("never");
  }
}
