import { useEffect } from "react";
import { forgetFolds } from "./state/folds.js";
import type { Page } from "./state/page.js";
import { forgetRefusals } from "./state/refusals.js";

/** Reloads the page when its notebook was purged, without any of the tab's data of it. */
export function usePurged({ id, client: { store } }: Page): void {
  useEffect(() => {
    const purged = (): void => {
      forgetFolds(id);
      forgetRefusals(id);
      if (store.notebook() !== undefined) location.reload();
    };
    addEventListener("quire:purged", purged);
    return () => removeEventListener("quire:purged", purged);
  }, [id, store]);
}
