import { type RefObject, useLayoutEffect, useRef } from "react";
import type { CellID } from "../../core/event.js";
import { span } from "../../lib/virtualList.js";
import { useUI, usePage } from "../state/page.js";
import type { Heights } from "./heights.js";
import { reveal } from "./reveal.js";

/** Provides scrolling of the list, and scrolls to a cell that gets the focus out of sight. */
export function useListScroll(view: RefObject<HTMLElement | null>, list: RefObject<HTMLDivElement | null>, cells: readonly CellID[], heights: Heights): void {
  const { ui, list: handle } = usePage();
  const latest = useRef(cells);
  const focus = useUI((state) => state.focus);
  useLayoutEffect(() => {
    latest.current = cells;
  }, [cells]);
  useLayoutEffect(() => {
    let stop = (): void => {};
    const find = (cell: CellID): HTMLElement | null => elementOf(list.current, cell);
    const above = (cell: CellID): number =>
      (list.current?.offsetTop ?? 0) + span((i) => heights.of(latest.current[i] ?? ""), { start: 0, end: latest.current.indexOf(cell) });
    handle.current = {
      reveal: (cell, where = "nearest") => {
        stop();
        if (view.current)
          stop = reveal(
            view.current,
            () => find(cell),
            () => above(cell),
            where,
          );
      },
      scroll: (direction) => {
        if (view.current) view.current.scrollTop += direction * 0.85 * view.current.clientHeight;
      },
    };
    return () => {
      stop();
      handle.current = undefined;
    };
  }, [view, list, heights, handle]);
  useLayoutEffect(() => {
    const { active } = ui.state;
    if (focus > ui.state.carried && active !== undefined) handle.current?.reveal(active);
  }, [focus, ui, handle]);
}

/** Returns the element of a cell in the page, without the gap below it. */
function elementOf(list: HTMLElement | null, cell: CellID): HTMLElement | null {
  for (const child of list?.children ?? []) {
    if (child instanceof HTMLElement && child.dataset["cell"] === cell) return child.querySelector<HTMLElement>("[data-group]");
  }
  return null;
}
