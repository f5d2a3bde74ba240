import { useEffect } from "react";
import { keepFolds } from "./state/folds.js";
import type { Page } from "./state/page.js";

/** Keeps in this browser how one has folded the cells, so that a reload leaves it as it is. */
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
