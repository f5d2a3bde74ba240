import { useClient, useRun } from "../core/hooks.js";
import type { OutputRow, Store } from "../core/store.js";

const interrupt = "KeyboardInterrupt"; // what engines of all languages call it

const stopped = new WeakMap<Store, Set<string>>();

/**
 * Reports whether an output is only the interrupt of a run that somebody stopped, or whose runtime was. It stays so
 * when the run is forgotten, since a newer one was asked for. A program that raises one by itself has failed.
 */
export function useStopped({ id, run: of, value }: OutputRow): boolean {
  const { store } = useClient();
  const run = useRun(of);
  if (value.error?.name !== interrupt) return false;
  const known = stopped.get(store) ?? new Set();
  stopped.set(store, known);
  if (run?.cancelled || run?.status === "cancelled" || run?.status === "lost") known.add(id);
  return known.has(id);
}
