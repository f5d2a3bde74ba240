import type { CellID } from "../../core/event.js";
import type { Fold } from "./uiState.js";

const prefix = "quire.folds.";
/** The most notebooks whose folds a browser stores: those changed last. */
const most = 200;
const parts = ["source", "outputs", "scrolled", "numbers"] as const;

/** Returns the stored folds of a notebook's cells. */
export function keptFolds(notebook: string): ReadonlyMap<CellID, Fold> {
  try {
    const { cells } = parsed(localStorage.getItem(prefix + notebook));
    return new Map(Object.entries(cells).flatMap(([cell, kept]) => foldOf(cell, kept)));
  } catch {
    return new Map(); // no storage, or invalid content
  }
}

/** Stores the folds of the existing cells. Failures are ignored: folds are a convenience. */
export function keepFolds(notebook: string, folds: ReadonlyMap<CellID, Fold>, isThere: (cell: CellID) => boolean): void {
  const cells = Object.fromEntries([...folds].filter(([cell, fold]) => isThere(cell) && Object.keys(fold).length > 0));
  try {
    if (Object.keys(cells).length === 0) return localStorage.removeItem(prefix + notebook);
    localStorage.setItem(prefix + notebook, JSON.stringify({ used: Date.now(), cells }));
    forgetOldest();
  } catch {
    // Private windows and full disks: the folds last as long as the page.
  }
}

/** Removes the stored folds of a notebook. */
export function forgetFolds(notebook: string): void {
  try {
    localStorage.removeItem(prefix + notebook);
  } catch {
    // Without storage there is nothing to remove.
  }
}

function forgetOldest(): void {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  if (keys.length <= most) return;
  const oldest = keys.map((key) => ({ key, used: usedAt(key) })).sort((a, b) => a.used - b.used);
  for (const { key } of oldest.slice(0, keys.length - most)) localStorage.removeItem(key);
}

function usedAt(key: string): number {
  try {
    return parsed(localStorage.getItem(key)).used;
  } catch {
    return 0;
  }
}

function parsed(json: string | null): { readonly used: number; readonly cells: object } {
  const value: unknown = JSON.parse(json ?? "{}");
  const read = (name: string): unknown => (typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined);
  const [used, cells] = [read("used"), read("cells")];
  return { used: typeof used === "number" ? used : 0, cells: typeof cells === "object" && cells !== null ? cells : {} };
}

function foldOf(cell: CellID, kept: unknown): readonly (readonly [CellID, Fold])[] {
  if (typeof kept !== "object" || kept === null) return [];
  const fold = Object.fromEntries(parts.flatMap((part) => (typeof Reflect.get(kept, part) === "boolean" ? [[part, Reflect.get(kept, part) === true]] : [])));
  return [[cell, fold]];
}
