import { type PointerEvent, useCallback, useRef } from "react";
import type { CellID } from "../../core/event.js";
import { move, order } from "../state/actions.js";
import { attempt } from "../state/attempt.js";
import { type Page, usePage } from "../state/page.js";
import { isStill, type Row, type Slot, slotAt, speedAt } from "./drag.js";

/** The distance at which a press becomes a drag, in pixels. */
const far = 4;

/** Drags a cell by a handle, or all selected cells if it is one of them. Escape ends it. */
export function useDrag(cell: CellID): (event: PointerEvent<HTMLElement>) => void {
  const page = usePage();
  const end = useRef<() => void>(undefined);
  return useCallback(
    (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return;
      end.current?.();
      end.current = begin(page, cell, event.currentTarget, event.pointerId, event.clientY);
    },
    [page, cell],
  );
}

function begin(page: Page, cell: CellID, handle: HTMLElement, pointer: number, from: number): () => void {
  const list = handle.closest<HTMLElement>("[data-list]");
  const view = list?.parentElement;
  if (!list || !view) return () => undefined;
  const { ui } = page;
  const selection = ui.selection();
  const cells = selection.includes(cell) ? selection : [cell];
  let y = from;
  let slot: Slot | undefined;
  let frame = 0;
  let dragging = false;

  const look = (): void => {
    const box = view.getBoundingClientRect();
    view.scrollTop += speedAt(y, box.top, box.bottom);
    slot = slotAt(rowsOf(list), y - list.getBoundingClientRect().top);
    ui.set({ drop: slot?.y });
    frame = requestAnimationFrame(look);
  };
  const moved = (event: globalThis.PointerEvent): void => {
    y = event.clientY;
    if (dragging || Math.abs(y - from) < far) return;
    dragging = true;
    ui.say(`${cells.length === 1 ? "Cell" : `${cells.length} cells`} picked up. Escape puts back.`);
    look();
  };
  const end = (): void => {
    cancelAnimationFrame(frame);
    if (handle.hasPointerCapture(pointer)) handle.releasePointerCapture(pointer);
    handle.removeEventListener("pointermove", moved);
    handle.removeEventListener("pointerup", dropped);
    handle.removeEventListener("pointercancel", end);
    document.removeEventListener("keydown", key, true);
    ui.set({ drop: undefined });
  };
  const dropped = (): void => {
    end();
    if (!dragging || !slot || isStill(order(page), cells, slot)) return;
    const { before, after } = slot;
    const place = before !== undefined ? { before } : after !== undefined ? { after } : undefined;
    if (place) void attempt(page, () => move(page, cells, place));
  };
  const key = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    end();
    ui.say("Put back.");
  };
  handle.setPointerCapture(pointer);
  handle.addEventListener("pointermove", moved);
  handle.addEventListener("pointerup", dropped);
  handle.addEventListener("pointercancel", end);
  document.addEventListener("keydown", key, true);
  return end;
}

/** Returns the places of the cells in the page, from the top of their list. */
function rowsOf(list: HTMLElement): readonly Row[] {
  return [...list.querySelectorAll<HTMLElement>(":scope > [data-cell]")].map((element) => ({
    cell: element.dataset["cell"] ?? "",
    top: element.offsetTop,
    bottom: element.offsetTop + element.offsetHeight,
  }));
}
