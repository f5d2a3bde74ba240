import type { Api } from "../core/api.js";
import type { Listing } from "../core/http.js";
import { formatQuery, listQuery, parseQuery, type Query } from "../routing/query.js";

/** ListSnapshot is the present state of the list. */
export interface ListSnapshot {
  /** The query of these notebooks. */
  readonly query: Query;
  readonly notebooks: readonly Listing[];
  /** The server has more notebooks than these. */
  readonly more: boolean;
  /** The loading state of the first page. */
  readonly state: { readonly kind: "loading" } | { readonly kind: "ready" } | { readonly kind: "failed"; readonly message: string };
}

const typing = 150; // milliseconds between the last key of a search and its request

type Change = (notebooks: readonly Listing[]) => readonly Listing[];

/**
 * NotebookList is the list of notebooks as of the last answer. A change by the user is shown at once; the server's later answer
 * replaces it.
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

  /** Subscribes f to changes. Returns the unsubscribe function. */
  readonly listen = (f: () => void): (() => void) => {
    this.#listeners.add(f);
    return () => void this.#listeners.delete(f);
  };

  readonly snapshot = (): ListSnapshot => this.#snapshot;

  /** Shows the result of a query. The present notebooks stay until the answer comes, unless the query is of the other tab. */
  show(query: Query): void {
    const before = this.#snapshot.query;
    if (formatQuery(before) !== formatQuery(query)) {
      this.#pages = 1;
      const keep = before.deleted === query.deleted && this.#snapshot.state.kind === "ready";
      this.#put(keep ? { query } : { query, notebooks: [], more: false, state: { kind: "loading" } });
    }
    void this.#load(before.search === query.search ? 0 : typing);
  }

  /** Loads the present query again. */
  readonly refresh = (): void => {
    if (this.#changing === 0) void this.#load(0);
  };

  /** Loads again after an error, and shows the loading state. */
  readonly retry = (): void => {
    this.#put({ state: { kind: "loading" } });
    this.refresh();
  };

  /** Loads one more page. */
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
    return this.#change(
      (all) => all,
      () => this.#api.duplicate(id),
    );
  }

  /** Shows a change, executes it, and then shows the server's state. */
  async #change<T>(change: Change, order: () => Promise<T>): Promise<T> {
    this.#loading.abort(); // its answer may precede the change
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
      if (signal.aborted || this.#snapshot.state.kind === "ready") return; // the present list is better than an error
      this.#put({ state: { kind: "failed", message: messageOf(error) } });
    }
  }

  async #fetch(query: Query, signal: AbortSignal): Promise<{ readonly notebooks: readonly Listing[]; readonly more: boolean }> {
    const notebooks = new Map<string, Listing>();
    let after: string | undefined;
    for (let page = 0; page < this.#pages; page++) {
      const answer = await this.#api.list({ ...listQuery(query), ...(after !== undefined && { after }) }, signal);
      for (const one of answer.notebooks) notebooks.set(one.id, one); // a notebook that changed between two pages may come twice
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

/** Returns the message of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
