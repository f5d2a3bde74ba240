import { useClient, useRun } from "../core/hooks.js";
import type { OutputRow, Store } from "../core/store.js";

const interrupt = "KeyboardInterrupt"; // its name in the engines of all languages

const stopped = new WeakMap<Store, Set<string>>();

/**
 * Reports whether an output is only the interrupt of a run that was cancelled, or whose runtime was stopped. It stays so when a
 * newer run replaces the run. A program that raises the exception by itself has failed.
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
