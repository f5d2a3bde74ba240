import { useCallback, useSyncExternalStore } from "react";
import type { CellID, OutputID } from "../core/event.js";

/** Where keys are text of an output: in its frame, in what looks for something in it, and in its view in the whole window. */
const fields = "iframe, input, textarea, select, [contenteditable='true'], [role='search'] *, [role='dialog'], [role='dialog'] *";

/** Returns the output of a cell that is typed in, by the first of its ids. */
export function useTypedIn(cell: CellID): OutputID | undefined {
  return useSyncExternalStore(listen, useCallback(() => typedIn(cell), [cell]));
}

function typedIn(cell: CellID): OutputID | undefined {
  const focused = document.activeElement;
  const output = focused?.matches(fields) ? focused.closest<HTMLElement>("[data-output]") : undefined;
  return output?.dataset["of"] === cell ? output.dataset["output"] : undefined;
}

/** Listens to where the focus goes. Of a frame that gets or loses it no event tells but those of the window. */
function listen(f: () => void): () => void {
  const after = (): void => void setTimeout(f); // else the focus is nowhere between two fields
  document.addEventListener("focusin", f);
  document.addEventListener("focusout", after);
  window.addEventListener("blur", f);
  window.addEventListener("focus", f);
  return () => {
    document.removeEventListener("focusin", f);
    document.removeEventListener("focusout", after);
    window.removeEventListener("blur", f);
    window.removeEventListener("focus", f);
  };
}
