import type { Api, Listing } from "../core/api.js";
import { formatQuery, listQuery, parseQuery, type Query } from "../routing/query.js";

/** ListSnapshot is what the list shows. */
export interface ListSnapshot {
  /** What the notebooks were asked for by. */
  readonly query: Query;
  readonly notebooks: readonly Listing[];
  /** Says that there are more than these. */
  readonly more: boolean;
  /** How far the first of them are: on their way, here, or not to be had for a reason. */
  readonly state: { readonly kind: "loading" } | { readonly kind: "ready" } | { readonly kind: "failed"; readonly message: string };
}

const typing = 150; // milliseconds to wait for the next key of a search

type Change = (notebooks: readonly Listing[]) => readonly Listing[];

/**
 * NotebookList is the list of notebooks, as the server had it when last asked. What somebody
 * changes is seen at once; what the server says of it afterwards counts.
 */
export class NotebookList {
  readonly #api: Api;
  readonly #listeners = new Set<() => void>();
  #snapshot: ListSnapshot = { query: parseQuery(""), notebooks: [], more: false, state: { kind: "loading" } };
  #pages = 1;
  #loading = new AbortController();
  #changing = 0;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Calls f after each change, until the function that is returned is called. */
  readonly listen = (f: () => void): (() => void) => {
    this.#listeners.add(f);
    return () => void this.#listeners.delete(f);
  };

  readonly snapshot = (): ListSnapshot => this.#snapshot;

  /** Shows what a query asks for. What was there stays until the answer is, unless it is of another kind. */
  show(query: Query): void {
    const before = this.#snapshot.query;
    if (formatQuery(before) !== formatQuery(query)) {
      this.#pages = 1;
      const keep = before.deleted === query.deleted && this.#snapshot.state.kind === "ready";
      this.#put(keep ? { query } : { query, notebooks: [], more: false, state: { kind: "loading" } });
    }
    void this.#load(before.search === query.search ? 0 : typing);
  }

  /** Asks the server again for what is shown. */
  readonly refresh = (): void => {
    if (this.#changing === 0) void this.#load(0);
  };

  /** Asks again after an error, and shows that it does. */
  readonly retry = (): void => {
    this.#put({ state: { kind: "loading" } });
    this.refresh();
  };

  /** Shows another page of what is there. */
  readonly more = (): void => {
    this.#pages++;
    this.refresh();
  };

  rename(id: string, title: string): Promise<Listing> {
    const change: Change = (all) => all.map((one) => (one.id === id ? { ...one, title } : one));
    return this.#change(change, () => this.#api.rename(id, title));
  }

  delete(id: string): Promise<void> {
    return this.#change(without(id), () => this.#api.delete(id));
  }

  restore(id: string): Promise<Listing> {
    return this.#change(this.#snapshot.query.deleted ? without(id) : (all) => all, () => this.#api.restore(id));
  }

  duplicate(id: string): Promise<Listing> {
    return this.#change((all) => all, () => this.#api.duplicate(id));
  }

  /** Shows a change, does it, and then shows what the server makes of it. */
  async #change<T>(change: Change, order: () => Promise<T>): Promise<T> {
    this.#loading.abort(); // its answer may be of before the change
    this.#changing++;
    this.#put({ notebooks: change(this.#snapshot.notebooks) });
    try {
      return await order();
    } finally {
      this.#changing--;
      this.refresh();
    }
  }

  async #load(wait: number): Promise<void> {
    this.#loading.abort();
    const { signal } = (this.#loading = new AbortController());
    const { query } = this.#snapshot;
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    if (signal.aborted) return;
    try {
      const { notebooks, more } = await this.#fetch(query, signal);
      if (!signal.aborted) this.#put({ notebooks, more, state: { kind: "ready" } });
    } catch (error) {
      if (signal.aborted || this.#snapshot.state.kind === "ready") return; // what is there is better than nothing
      this.#put({ state: { kind: "failed", message: messageOf(error) } });
    }
  }

  async #fetch(query: Query, signal: AbortSignal): Promise<{ readonly notebooks: readonly Listing[]; readonly more: boolean }> {
    const notebooks = new Map<string, Listing>();
    let after: string | undefined;
    for (let page = 0; page < this.#pages; page++) {
      const answer = await this.#api.list({ ...listQuery(query), ...(after !== undefined && { after }) }, signal);
      for (const one of answer.notebooks) notebooks.set(one.id, one); // one that changed meanwhile may come twice
      after = answer.next;
      if (after === undefined) break;
    }
    return { notebooks: [...notebooks.values()], more: after !== undefined };
  }

  #put(change: Partial<ListSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const f of this.#listeners) f();
  }
}

function without(id: string): Change {
  return (all) => all.filter((one) => one.id !== id);
}

/** Returns what people are told of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
