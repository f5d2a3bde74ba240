import type { Core } from "./core.js";
import type { Port, ToPage, ToWorker } from "./messages.js";

/** The longest delay of a status update, in milliseconds. */
const calm = 40;

/** Page is one page of this worker's notebook: it handles its requests, and sends it batches. */
export class Page {
  readonly #core: Core;
  readonly #port: Port<ToWorker, ToPage>;
  readonly #number: number;
  readonly #calls = new Map<number, () => void>();
  #showing = false; // a batch is under way that the page has not shown
  #stale = true; // there may be something to take
  #planned = false;
  #later: ReturnType<typeof setTimeout> | undefined;

  constructor(core: Core, port: Port<ToWorker, ToPage>, seen: number) {
    this.#core = core;
    this.#port = port;
    this.#number = core.open(seen);
  }

  /** Sends the changes soon, but not before the page has shown the last batch. */
  changed(): void {
    this.#stale = true;
    if (this.#planned || this.#showing) return;
    this.#planned = true;
    queueMicrotask(() => this.#look()); // the core calls this, and must not be called back before it is done
  }

  close(): void {
    clearTimeout(this.#later);
    for (const give of this.#calls.values()) give();
    this.#calls.clear();
    this.#core.close(this.#number);
  }

  receive(message: Exclude<ToWorker, { kind: "open" | "key" | "alive" | "close" }>): void {
    switch (message.kind) {
      case "command":
        return this.#answer(message.n, this.#core.command(this.#number, message.json));
      case "push":
        return this.#reply(message.n, this.#core.push(this.#number, message.json));
      case "call":
        return this.#call(message);
      case "giveUp":
        return this.#giveUp(message.n);
      case "present":
        this.#core.present(message.json);
        return;
      case "reconnect":
        return this.#core.retry();
      case "shown":
        this.#showing = false;
        if (this.#stale) this.changed();
    }
  }

  #look(): void {
    this.#planned = false;
    if (!this.#stale || this.#showing) return;
    if (this.#core.pressing(this.#number)) this.#send();
    else this.#later ??= setTimeout(() => this.#send(), calm);
  }

  #send(): void {
    const json = this.#take();
    if (json !== undefined) this.#port.postMessage({ kind: "batch", json });
  }

  /** Returns the JSON of the changes since the last time, if there are any. */
  #take(): string | undefined {
    if (!this.#stale) return undefined;
    clearTimeout(this.#later);
    this.#later = undefined;
    this.#stale = false;
    const json = this.#core.take(this.#number);
    if (json instanceof Error) this.#port.postMessage({ kind: "broken", message: json.message });
    if (json === null || json instanceof Error) return undefined;
    this.#showing = true;
    return json;
  }

  /** Answers with the changes made by the command, so the page can show the rows that the answer names. */
  #answer(n: number, result: string | Error): void {
    this.#reply(n, result, result instanceof Error ? undefined : this.#take());
  }

  #reply(n: number, result: string | boolean | Error, batch?: string): void {
    if (result instanceof Error) {
      const code = "code" in result && typeof result.code === "string" ? { code: result.code } : {};
      this.#port.postMessage({ kind: "failed", n, message: result.message, ...code });
      return;
    }
    this.#port.postMessage({ kind: "answer", n, json: String(result), ...(batch !== undefined && { batch }) });
  }

  #call({ n, method, params }: Extract<ToWorker, { kind: "call" }>): void {
    const done = (answer: string | Error): void => {
      this.#giveUp(n);
      this.#answer(n, answer);
    };
    this.#calls.set(n, this.#core.call(method, params, done));
  }

  #giveUp(n: number): void {
    this.#calls.get(n)?.();
    this.#calls.delete(n);
  }
}
