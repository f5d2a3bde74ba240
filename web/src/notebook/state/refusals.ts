import type { Refusal } from "../../core/view.js";
import { Fields } from "../../lib/parse.js";

const prefix = "quire.refused.";
/** The most refusals of a notebook in the browser's storage, and the most text of them: the latest. */
const most = 100;
const mostText = 1 << 20;

/** Kept is a stored refusal with a message for the user. */
export interface Kept {
  readonly id: string;
  readonly message: string;
  readonly source?: string;
}

/** Removes the stored refusals of a notebook. */
export function forgetRefusals(notebook: string): void {
  try {
    localStorage.removeItem(prefix + notebook);
  } catch {
    // Without storage there is nothing to remove.
  }
}

/**
 * RefusalStore holds the refused changes that the user has not dismissed. They are stored in the browser, for all of its tabs: typed
 * text must survive a reload.
 */
export class RefusalStore {
  readonly #key: string;
  readonly #listeners = new Set<() => void>();
  #list: readonly Kept[];

  constructor(notebook: string) {
    this.#key = prefix + notebook;
    this.#list = this.#read();
  }

  /** The refusals that were not dismissed, the latest last. */
  readonly list = (): readonly Kept[] => this.#list;

  /** Subscribes f to changes in any tab. Returns the unsubscribe function. */
  readonly listen = (f: () => void): (() => void) => {
    if (this.#listeners.size === 0) addEventListener("storage", this.#elsewhere);
    this.#listeners.add(f);
    return () => {
      this.#listeners.delete(f);
      if (this.#listeners.size === 0) removeEventListener("storage", this.#elsewhere);
    };
  };

  /** Adds refusals. Known ones are skipped, because every tab reports them. */
  add(refused: readonly Refusal[]): void {
    const known = new Set(this.#list.map(({ id }) => id));
    const added = refused.map(kept).filter(({ id }) => !known.has(id));
    if (added.length > 0) this.#become(bounded([...this.#list, ...added]));
  }

  /** Removes dismissed refusals. */
  read(ids: ReadonlySet<string>): void {
    this.#become(this.#list.filter(({ id }) => !ids.has(id)));
  }

  #become(list: readonly Kept[]): void {
    this.#list = list;
    try {
      if (list.length === 0) localStorage.removeItem(this.#key);
      else localStorage.setItem(this.#key, JSON.stringify(list));
    } catch {
      // They last as long as the page.
    }
    for (const f of this.#listeners) f();
  }

  readonly #elsewhere = (event: StorageEvent): void => {
    if (event.key !== this.#key && event.key !== null) return;
    this.#list = this.#read();
    for (const f of this.#listeners) f();
  };

  #read(): readonly Kept[] {
    try {
      const list: unknown = JSON.parse(localStorage.getItem(this.#key) ?? "[]");
      return Array.isArray(list) ? list.map(keptOf) : [];
    } catch {
      return [];
    }
  }
}

/** A change that the page could not give to the core has no id: its content identifies it. */
function kept({ id, code, message, source }: Refusal): Kept {
  const reason = code === "forbidden" ? "your role in this notebook does not allow it" : message;
  return { id: id || `${message}: ${source ?? ""}`, message: reason, ...(source === undefined ? {} : { source }) };
}

function keptOf(value: unknown): Kept {
  const fields = new Fields(value);
  const source = fields.stringIfAny("source");
  return { id: fields.string("id"), message: fields.string("message"), ...(source === undefined ? {} : { source }) };
}

/** Returns the latest refusals within the limits. */
function bounded(list: readonly Kept[]): readonly Kept[] {
  let left = mostText;
  const kept = list
    .slice(-most)
    .toReversed()
    .filter(({ source = "" }, i) => {
      if (i > 0 && source.length > left) return false;
      left -= source.length;
      return true;
    });
  return kept.toReversed();
}
