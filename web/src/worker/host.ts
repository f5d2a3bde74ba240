import { giveKey } from "../core/key.js";
import type { Refusal } from "../core/view.js";
import type { Core, Lent, StartCore } from "./core.js";
import { Courier } from "./courier.js";
import type { Port, ToPage, ToWorker } from "./messages.js";
import { Page } from "./page.js";
import { dialer } from "./socket.js";
import { type Keeper, keeper } from "./keeper.js";

/** Host has the core of one notebook and the pages that show it. */
export class Host {
  readonly #pages = new Map<Port<ToWorker, ToPage>, Page>();
  readonly #notebook: string;
  readonly #core: Promise<Core>;
  readonly #keeper: Promise<Keeper>;
  readonly #waiting = new Set<Port<ToWorker, ToPage>>();
  #trouble: string | undefined;
  #failed = false;
  #purged: Promise<void> | undefined;
  #online = false;

  constructor(notebook: string, load: (troubled: (reason: string) => void) => Promise<StartCore>) {
    this.#notebook = notebook;
    this.#keeper = keeper(notebook);
    this.#core = this.#start(load((reason) => this.#tellWaiting(reason)));
    this.#core.catch(() => {
      this.#failed = true;
    });
  }

  /** Reports whether the core cannot be started here, or has a notebook that was removed for good, so that another host is to try. */
  get failed(): boolean {
    return this.#failed;
  }

  /** Adds a page. What it says before the core has started waits. */
  async open(port: Port<ToWorker, ToPage>, { lock, seen }: Extract<ToWorker, { kind: "open" }>): Promise<void> {
    const early: ToWorker[] = [];
    port.onmessage = (event) => early.push(event.data);
    this.#waiting.add(port);
    if (this.#trouble !== undefined) port.postMessage({ kind: "loading", reason: this.#trouble });
    try {
      const core = await this.#core;
      const page = new Page(core, port, seen);
      this.#pages.set(port, page);
      port.onmessage = (event) => this.#receive(port, event.data);
      for (const message of early) this.#receive(port, message);
      page.changed();
    } catch (error) {
      port.postMessage({ kind: "broken", message: error instanceof Error ? error.message : String(error) });
      return;
    } finally {
      this.#waiting.delete(port);
    }
    // The page holds this lock for as long as it lives, so having it here means that the page is gone.
    void navigator.locks?.request(lock, () => this.#close(port));
  }

  #receive(port: Port<ToWorker, ToPage>, message: ToWorker): void {
    if (message.kind === "close") return this.#close(port);
    if (message.kind === "key") return giveKey(message.key);
    if (message.kind !== "open") this.#pages.get(port)?.receive(message);
  }

  #close(port: Port<ToWorker, ToPage>): void {
    this.#pages.get(port)?.close();
    this.#pages.delete(port);
  }

  async #start(load: Promise<StartCore>): Promise<Core> {
    const [start, kept] = await Promise.all([load, this.#keeper]);
    const dial = dialer(this.#notebook, () => this.#tellAll({ kind: "signedOut" }));
    const id = (): string => crypto.randomUUID().replaceAll("-", "");
    const core = start({
      dial: this.#watched(dial),
      changed: () => {
        for (const page of this.#pages.values()) page.changed();
        kept.changed();
      },
      id,
      kept: kept.json,
    });
    await kept.keep(core);
    const refused = (list: readonly Refusal[]): void => this.#tellAll({ kind: "refused", json: JSON.stringify(list) });
    new Courier({ notebook: this.#notebook, storage: kept.storage, start, dial, id, isOnline: () => this.#online, refused }).run();
    return core;
  }

  /** Says to the pages that wait for the core why it is not loaded yet. */
  #tellWaiting(reason: string): void {
    this.#trouble = reason;
    for (const port of this.#waiting) port.postMessage({ kind: "loading", reason });
  }

  /** Notes whether there is a connection. */
  #watched(dial: Lent["dial"]): Lent["dial"] {
    return (opened, received, lost) =>
      dial(
        () => {
          this.#online = true;
          opened();
        },
        received,
        (code, message) => {
          this.#online = false;
          lost(code, message);
          if (code === "purged") void (this.#purged ??= this.#purge());
        },
      );
  }

  /** Removes what is kept of the notebook, and has no page see it in this host. */
  async #purge(): Promise<void> {
    this.#failed = true;
    const keeper = await this.#keeper;
    keeper.end();
    await keeper.storage.erase(this.#notebook);
    this.#tellAll({ kind: "purged" });
  }

  #tellAll(message: ToPage): void {
    for (const port of this.#pages.keys()) port.postMessage(message);
  }
}
