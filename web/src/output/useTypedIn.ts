import { useCallback, useSyncExternalStore } from "react";
import type { CellID, OutputID } from "../core/event.js";

/** Elements in which keys belong to an output: its frame, its search, and its view in the whole window. */
const fields = "iframe, input, textarea, select, [contenteditable='true'], [role='search'] *, [role='dialog'], [role='dialog'] *";

/** Returns the output of a cell in which the user types, by the first of its ids. */
export function useTypedIn(cell: CellID): OutputID | undefined {
  return useSyncExternalStore(
    listen,
    useCallback(() => typedIn(cell), [cell]),
  );
}

function typedIn(cell: CellID): OutputID | undefined {
  const focused = document.activeElement;
  const output = focused?.matches(fields) ? focused.closest<HTMLElement>("[data-output]") : undefined;
  return output?.dataset["of"] === cell ? output.dataset["output"] : undefined;
}

/** Subscribes f to focus changes. A frame's focus has no other events than those of the window. */
function listen(f: () => void): () => void {
  const after = (): void => void setTimeout(f); // the focus is nowhere between two fields
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
