import { type RefObject, useCallback, useLayoutEffect } from "react";
import type { CellID } from "../../core/event.js";
import type { EditorHandle } from "../../editor/Editor.js";
import { useDesk, usePage } from "../state/page.js";

/**
 * Puts the focus into a cell when the desk wants it there: on the cell itself in command mode, into
 * its editor in edit mode, as soon as there is one. Returns the editor's ref.
 */
export function useFocus(cell: CellID, element: RefObject<HTMLElement | null>): (handle: EditorHandle | null) => void {
  const { desk } = usePage();
  const turn = useDesk((state) => (state.active === cell ? state.focus : 0));
  const give = useCallback(() => {
    const { active, mode } = desk.state;
    if (active !== cell) return;
    const editor = desk.editor(cell);
    if (mode === "edit" ? !editor : !element.current) return; // it comes, and asks again
    const at = desk.take(cell);
    if (at === undefined) return;
    if (mode === "edit") editor?.focus(at);
    else element.current?.focus({ preventScroll: true });
  }, [desk, cell, element]);
  useLayoutEffect(give, [give, turn]);
  return useCallback((handle: EditorHandle | null) => {
    desk.edits(cell, handle);
    if (handle) give();
  }, [desk, cell, give]);
}
