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
  #online = false;

  constructor(notebook: string, load: Promise<StartCore>) {
    this.#notebook = notebook;
    this.#keeper = keeper(notebook);
    this.#core = this.#start(load);
  }

  /** Adds a page. What it says before the core has started waits. */
  async open(port: Port<ToWorker, ToPage>, { lock, seen }: Extract<ToWorker, { kind: "open" }>): Promise<void> {
    const early: ToWorker[] = [];
    port.onmessage = (event) => early.push(event.data);
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
    }
    // The page holds this lock for as long as it lives, so having it here means that the page is gone.
    void navigator.locks?.request(lock, () => this.#close(port));
  }

  #receive(port: Port<ToWorker, ToPage>, message: ToWorker): void {
    if (message.kind === "close") return this.#close(port);
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
        },
      );
  }

  #tellAll(message: ToPage): void {
    for (const port of this.#pages.keys()) port.postMessage(message);
  }
}
