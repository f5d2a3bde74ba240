import { type RefObject, useLayoutEffect, useRef } from "react";
import type { Listing } from "../core/api.js";
import { focusRow, rowsIn } from "./rows.js";

/**
 * Keeps the focus in the list when the focused row disappears: the row in its place gets it. Returns a function to be called
 * with the focused row.
 */
export function useFocusInRows(body: RefObject<HTMLElement | null>, notebooks: readonly Listing[]): (id: string) => void {
  const last = useRef<{ readonly id: string; readonly index: number }>(undefined);
  useLayoutEffect(() => {
    const was = last.current;
    if (!was || notebooks.some(({ id }) => id === was.id)) return;
    last.current = undefined;
    const { activeElement } = document;
    const free = !activeElement || activeElement === document.body || activeElement.closest("[role=menu]");
    if (free && body.current) focusRow(rowsIn(body.current), was.index);
  }, [body, notebooks]);
  return (id) => {
    last.current = { id, index: notebooks.findIndex((notebook) => notebook.id === id) };
  };
}
