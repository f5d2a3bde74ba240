import { useEffect, useMemo, useSyncExternalStore } from "react";
import { usePage } from "../state/page.js";
import { type Kept, Refusals } from "../state/refusals.js";

/** Returns the notebook's refusals that were not dismissed, and a function that dismisses refusals. */
export function useRefusals(): { readonly refused: readonly Kept[]; readonly read: (refused: readonly Kept[]) => void } {
  const { id, client: { store } } = usePage();
  const refusals = useMemo(() => new Refusals(id), [id]);
  useEffect(() => {
    const take = (): void => refusals.add(store.refused());
    take();
    return store.listen("refused", take);
  }, [refusals, store]);
  const refused = useSyncExternalStore(refusals.listen, refusals.list);
  return { refused, read: (list) => refusals.read(new Set(list.map((one) => one.id))) };
}
