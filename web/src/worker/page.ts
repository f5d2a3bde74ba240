import type { Core } from "./core.js";
import type { Port, ToPage, ToWorker } from "./messages.js";

/** Page is one page that shows the notebook of this worker: what it asks, and the batches that it is sent. */
export class Page {
  readonly #core: Core;
  readonly #port: Port<ToWorker, ToPage>;
  readonly #number: number;
  readonly #calls = new Map<number, () => void>();
  #showing = false; // a batch is under way that the page has not shown
  #stale = true; // there may be something to take
  #planned = false;

  constructor(core: Core, port: Port<ToWorker, ToPage>) {
    this.#core = core;
    this.#port = port;
    this.#number = core.open();
  }

  /** Sends what changed, soon, and not before the page has shown what it was sent last. */
  changed(): void {
    this.#stale = true;
    if (this.#planned || this.#showing) return;
    this.#planned = true;
    queueMicrotask(() => this.#send());
  }

  close(): void {
    for (const give of this.#calls.values()) give();
    this.#calls.clear();
    this.#core.close(this.#number);
  }

  receive(message: Exclude<ToWorker, { kind: "open" | "close" }>): void {
    switch (message.kind) {
      case "command":
        return this.#answer(message.n, this.#core.command(this.#number, message.json));
      case "push":
        return this.#answer(message.n, this.#core.push(this.#number, message.json));
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

  #send(): void {
    this.#planned = false;
    this.#stale = false;
    const json = this.#core.take(this.#number);
    if (json === null) return;
    if (json instanceof Error) return this.#port.postMessage({ kind: "broken", message: json.message });
    this.#showing = true;
    this.#port.postMessage({ kind: "batch", json });
  }

  #answer(n: number, result: string | boolean | Error): void {
    if (result instanceof Error) {
      const code = "code" in result && typeof result.code === "string" ? { code: result.code } : {};
      this.#port.postMessage({ kind: "failed", n, message: result.message, ...code });
      return;
    }
    // What the command changed is on its way first, so that the page can show what the answer names.
    this.#send();
    this.#port.postMessage({ kind: "answer", n, json: String(result) });
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
