import { useEffect } from "react";
import { keepFolds } from "./state/folds.js";
import type { Page } from "./state/page.js";

/** Stores the user's folds in this browser, so they survive a reload. */
export function useFolds({ id, client: { store }, ui }: Page): void {
  useEffect(() => {
    let kept = ui.state.folds;
    return ui.listen(() => {
      const { folds } = ui.state;
      if (folds === kept) return;
      kept = folds;
      keepFolds(id, folds, (cell) => store.cell(cell) !== undefined);
    });
  }, [id, store, ui]);
}
