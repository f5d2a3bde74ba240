import type { Store } from "../../core/store.js";

const key = "quire.heights";
const most = 500; // of the outputs shown last

const remembered = new WeakMap<Store, Map<string, number>>();

/** Returns the last heights of a notebook's outputs in this tab, including those before a reload. */
export function heightsOf(store: Store): Map<string, number> {
  const known = remembered.get(store);
  if (known) return known;
  const heights = kept();
  remembered.set(store, heights);
  window.addEventListener("pagehide", () => keep(heights));
  return heights;
}

function kept(): Map<string, number> {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(key) ?? "{}");
    if (typeof value !== "object" || value === null) return new Map();
    return new Map(Object.entries(value).flatMap(([id, height]) => (typeof height === "number" && height >= 0 ? [[id, height]] : [])));
  } catch {
    return new Map(); // no storage, or invalid content
  }
}

/** Stores heights for this tab. Failures are ignored: heights are a convenience. */
function keep(heights: ReadonlyMap<string, number>): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(Object.fromEntries([...kept(), ...heights].slice(-most))));
  } catch {
    // Private windows and full disks: the heights last as long as the page.
  }
}
