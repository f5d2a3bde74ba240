import type { Client } from "../core/client.js";
import type { CellID, Json } from "../core/event.js";
import { key, onKey } from "../core/key.js";
import type { Method, Presence } from "../core/protocol.js";
import type { Store, TextListener } from "../core/store.js";
import type { Batch, Command, Refusal, Result, TextPush } from "../core/view.js";
import { nextPaint } from "../lib/nextPaint.js";
import type { Port, ToPage, ToWorker } from "./messages.js";

/** A call that waits for its answer. */
interface Waiting {
  resolve(json: string): void;
  reject(error: Error): void;
}

/** The length of a batch from which on its rows are painted before the next is requested: more in one frame would be wasted work. */
const much = 16 << 10;

/** The pause after the user's own edits before the next batch is requested, in milliseconds: a frame. */
const frame = 16;

/** The least time between two presence messages, in milliseconds. */
const presencePause = 100;

/** CommandError is a command or call that failed. */
export class CommandError extends Error {
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** RemoteClient is the client of a core in a worker. */
export class RemoteClient implements Client {
  readonly store: Store;
  #port: Port<ToPage, ToWorker> | undefined;
  #early: ToWorker[] = []; // messages that wait for the worker
  #closed = false;
  readonly #waiting = new Map<number, Waiting>();
  /** Resolves when the core has the notebook: an earlier command would apply to an empty one. */
  readonly #live: Promise<void>;
  #release: () => void = () => {};
  readonly #deaf = onKey(() => this.#send({ kind: "key", key: key() }));
  #last = 0;
  #presence: Presence | undefined;
  #presenceTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(notebook: string, store: Store, port: Promise<Port<ToPage, ToWorker>>) {
    this.store = store;
    this.#live = new Promise((resolve) => {
      const stop = store.listen("live", () => {
        stop();
        resolve();
      });
    });
    void port.then((there) => this.#open(notebook, there));
  }

  async command(command: Command): Promise<Result> {
    await this.#live;
    const result: Result = JSON.parse(await this.#ask((n) => ({ kind: "command", n, json: JSON.stringify(command) })));
    return result;
  }

  async push(push: TextPush): Promise<boolean> {
    const answer = this.#ask(
      (n) => ({ kind: "push", n, json: JSON.stringify(push) }),
      (json) => json === "true" && this.#acknowledge(push),
    );
    return (await answer) === "true";
  }

  /** Applies edits that the core has taken. It does not send them back, and what it sends next follows them. */
  #acknowledge({ cell, version, by, edits }: TextPush): void {
    this.store.apply({ texts: edits.map((edit, i) => ({ cell, version: version + i, edit, by })) });
  }

  onText(cell: CellID, f: TextListener): () => void {
    return this.store.onText(cell, f);
  }

  present(presence: Presence): void {
    // The editor publishes the caret, and the page the name: the name stays.
    this.#presence = { ...(this.#presence?.name === undefined ? {} : { name: this.#presence.name }), ...presence };
    this.#presenceTimer ??= setTimeout(() => {
      this.#presenceTimer = undefined;
      this.#send({ kind: "present", json: JSON.stringify(this.#presence) });
    }, presencePause);
  }

  async call(method: Method, params: Json, signal?: AbortSignal): Promise<Json> {
    signal?.throwIfAborted();
    let n = 0;
    const answer = this.#ask((number) => {
      n = number;
      return { kind: "call", n, method, params: JSON.stringify(params) };
    });
    signal?.addEventListener("abort", () => this.#giveUp(n, signal.reason), { once: true });
    const result: Json = JSON.parse(await answer);
    return result;
  }

  reconnect(): void {
    this.#send({ kind: "reconnect" });
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#presenceTimer);
    this.#deaf();
    this.#send({ kind: "close" });
    this.#release();
  }

  #open(notebook: string, port: Port<ToPage, ToWorker>): void {
    if (this.#closed) return;
    const lock = `quire page ${crypto.randomUUID()}`;
    this.#release = hold(lock);
    this.#port = port;
    port.onmessage = ({ data }) => (data.kind === "closed" ? this.#reopen(notebook, port) : this.#receive(data));
    port.postMessage({ kind: "open", notebook, lock, seen: this.store.status()?.seq ?? 0, key: key() });
    for (const message of this.#early.splice(0)) port.postMessage(message);
  }

  /** Opens the notebook again after the worker took this page for dead. Earlier requests will not be answered. */
  #reopen(notebook: string, port: Port<ToPage, ToWorker>): void {
    this.#release();
    for (const waiting of this.#waiting.values()) waiting.reject(new CommandError("The page was asleep.", "unavailable"));
    this.#waiting.clear();
    this.#open(notebook, port);
  }

  #send(message: ToWorker): void {
    if (this.#port) this.#port.postMessage(message);
    else this.#early.push(message);
  }

  /** Sends a question. Answered is called with the answer before any later message is received. */
  #ask(message: (n: number) => ToWorker, answered?: (json: string) => void): Promise<string> {
    this.#last++;
    const n = this.#last;
    return new Promise((resolve, reject) => {
      const settle = (json: string): void => {
        answered?.(json);
        resolve(json);
      };
      this.#waiting.set(n, { resolve: settle, reject });
      this.#send(message(n));
    });
  }

  #giveUp(n: number, reason: unknown): void {
    const waiting = this.#waiting.get(n);
    if (!waiting) return;
    this.#waiting.delete(n);
    this.#send({ kind: "giveUp", n });
    waiting.reject(reason instanceof Error ? reason : new Error("the call was given up"));
  }

  #receive(message: Exclude<ToPage, { kind: "closed" }>): void {
    switch (message.kind) {
      case "batch":
        return this.#show(message.json, 0);
      case "answer":
        if (message.batch !== undefined) this.#show(message.batch, frame);
        return this.#settle(message.n, (waiting) => waiting.resolve(message.json));
      case "failed":
        return this.#settle(message.n, (waiting) => waiting.reject(new CommandError(message.message, message.code)));
      case "refused": {
        const refused: readonly Refusal[] = JSON.parse(message.json);
        return this.store.apply({ refused });
      }
      case "here":
        return;
      case "ask":
        if (!this.#closed) this.#send({ kind: "alive" });
        return;
      case "loading":
        dispatchEvent(new CustomEvent("quire:loading", { detail: message.reason }));
        return;
      case "signedOut":
        dispatchEvent(new Event("quire:signed-out"));
        return;
      case "purged":
        dispatchEvent(new Event("quire:purged"));
        return;
      case "broken":
        dispatchEvent(new CustomEvent("quire:broken", { detail: message.message }));
    }
  }

  /**
   * Applies rows, and requests the next batch after a pause. The pause does not wait for an animation frame, because there may
   * be nothing to paint.
   */
  #show(json: string, pause: number): void {
    const batch: Batch = JSON.parse(json);
    this.store.apply(batch);
    const next = (): void => this.#send({ kind: "shown" });
    if (json.length >= much) void nextPaint().then(next);
    else if (pause > 0) setTimeout(next, pause);
    else next();
  }

  #settle(n: number, f: (waiting: Waiting) => void): void {
    const waiting = this.#waiting.get(n);
    this.#waiting.delete(n);
    if (waiting) f(waiting);
  }
}

/**
 * Holds a lock until the page ends or the returned function is called. The caller does not wait for it: a page without a lock
 * is asked whether it is alive.
 */
function hold(lock: string): () => void {
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  navigator.locks?.request(lock, () => held).catch(() => undefined);
  return release;
}
