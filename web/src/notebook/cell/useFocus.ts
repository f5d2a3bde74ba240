import { type RefObject, useCallback, useLayoutEffect } from "react";
import type { CellID } from "../../core/event.js";
import type { EditorHandle } from "../../editor/Editor.js";
import { useUI, usePage } from "../state/page.js";

/**
 * Focuses a cell when the UI state wants it there: the cell itself in command mode, its editor in edit mode, as soon as there
 * is one. Returns the editor's ref.
 */
export function useFocus(cell: CellID, element: RefObject<HTMLElement | null>): (handle: EditorHandle | null) => void {
  const { ui } = usePage();
  const turn = useUI((state) => (state.active === cell ? state.focus : 0));
  const give = useCallback(() => {
    const { active, mode } = ui.state;
    if (active !== cell) return;
    const editor = ui.editor(cell);
    if (mode === "edit" ? !editor : !element.current) return; // its ref asks again once it is mounted
    const at = ui.take(cell);
    if (at === undefined) return;
    if (mode === "edit") editor?.focus(at);
    else element.current?.focus({ preventScroll: true });
  }, [ui, cell, element]);
  useLayoutEffect(give, [give, turn]);
  return useCallback((handle: EditorHandle | null) => {
    ui.edits(cell, handle);
    if (handle) give();
  }, [ui, cell, give]);
}
