import { giveKey } from "../core/key.js";
import type { Refusal } from "../core/view.js";
import type { Core, Lent, StartCore } from "./core.js";
import { type Keeper, keeper } from "./keeper.js";
import type { Port, ToPage, ToWorker } from "./messages.js";
import { Orphans } from "./orphans.js";
import { Page } from "./page.js";
import { dialer } from "./socket.js";

/** The time that a page has to answer that it is alive, in milliseconds. */
const patience = 10_000;

/** Host runs the core of one notebook for the pages that show it. */
export class Host {
  readonly #pages = new Map<Port<ToWorker, ToPage>, Page>();
  readonly #notebook: string;
  readonly #core: Promise<Core>;
  readonly #keeper: Promise<Keeper>;
  readonly #waiting = new Set<Port<ToWorker, ToPage>>();
  /** Pages that were asked whether they are alive, and have not answered. */
  readonly #silent = new Set<Port<ToWorker, ToPage>>();
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

  /** Reports whether the core cannot be started here, or its notebook was purged, so another host must be created. */
  get failed(): boolean {
    return this.#failed;
  }

  /** Adds a page. Its messages wait until the core has started. */
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
    if (navigator.locks) void this.#watch(port, lock, navigator.locks);
  }

  /**
   * Closes a page that is gone. A page holds a lock while it lives, but a free lock does not prove that it is gone: a browser
   * that clears the data of a site forgets the held locks, and pages from before and workers from after that do not see each
   * other's. So the page is asked, again and again while its lock is free.
   */
  async #watch(port: Port<ToWorker, ToPage>, lock: string, locks: LockManager): Promise<void> {
    do await locks.request(lock, () => undefined).catch(() => undefined);
    while (await this.#answers(port));
    this.#silent.delete(port);
    if (!this.#pages.has(port)) return;
    this.#close(port);
    port.postMessage({ kind: "closed" }); // it may have been suspended
  }

  async #answers(port: Port<ToWorker, ToPage>): Promise<boolean> {
    this.#silent.add(port);
    port.postMessage({ kind: "ask" });
    await new Promise((resolve) => setTimeout(resolve, patience));
    return !this.#silent.has(port);
  }

  #receive(port: Port<ToWorker, ToPage>, message: ToWorker): void {
    if (message.kind === "close") return this.#close(port);
    if (message.kind === "key") return giveKey(message.key);
    if (message.kind === "alive") return void this.#silent.delete(port);
    if (message.kind === "open") return void this.open(port, message);
    this.#pages.get(port)?.receive(message);
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
    void kept.keep(core); // the page shows the notebook whether or not the browser stores it
    const refused = (list: readonly Refusal[]): void => this.#tellAll({ kind: "refused", json: JSON.stringify(list) });
    new Orphans({ notebook: this.#notebook, storage: kept.storage, start, dial, id, isOnline: () => this.#online, refused }).run();
    return core;
  }

  /** Tells the pages that wait for the core why it is not loaded yet. */
  #tellWaiting(reason: string): void {
    this.#trouble = reason;
    for (const port of this.#waiting) port.postMessage({ kind: "loading", reason });
  }

  /** Tracks the state of the connection. */
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

  /** Removes the stored data of the notebook, and keeps this host from showing it. */
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
