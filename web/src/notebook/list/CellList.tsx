import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { CellID } from "../../core/event.js";
import { useNotebook } from "../../core/hooks.js";
import { type Part, parts } from "../../lib/virtualList.js";
import { useArranged } from "../../ui/useArranged.js";
import { Cell } from "../cell/Cell.js";
import { withGhost } from "../state/ghost.js";
import { Hold } from "../state/hold.js";
import { usePage, useUI } from "../state/page.js";
import { useMay } from "../state/role.js";
import { AddRow } from "./AddRow.js";
import styles from "./CellList.module.css";
import { DropLine } from "./DropLine.js";
import { Heights } from "./heights.js";
import { Starter } from "./Starter.js";
import { useListScroll } from "./useListScroll.js";
import { useVirtualCells } from "./useVirtualCells.js";

const none: readonly CellID[] = [];

/** Reports whether the last cell was deleted here, and keeps the focus then: the keys that restore cells still work. */
function useEmptied(view: RefObject<HTMLElement | null>, count: number): boolean {
  const had = useRef(count > 0);
  const emptied = had.current && count === 0;
  useLayoutEffect(() => {
    if (count > 0) had.current = true;
    else if (had.current && (document.activeElement === null || document.activeElement === document.body)) view.current?.focus({ preventScroll: true });
  }, [view, count]);
  return emptied;
}

/** The list of cells. Cells far from the visible part are replaced by spacers. */
export function CellList() {
  const page = usePage();
  const there = useNotebook()?.cells ?? none;
  const ghost = useUI((state) => state.ghost);
  const cells = useMemo(() => withGhost(there, ghost), [there, ghost]);
  const active = useUI((state) => state.active);
  const mayEdit = useMay("edit");
  const [starting, setStarting] = useState(false);
  const view = useRef<HTMLElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const heights = useMemo(() => new Heights(page.client.store), [page]);
  const keep = useHold(view, list);
  const { range, observe } = useVirtualCells(view, list, cells, heights, keep);
  const height = (i: number): number => heights.of(cells[i] ?? "");
  const places = useMemo(() => new Map(cells.map((id, i) => [id, i])), [cells]);
  const ghostAt = ghost ? (places.get(ghost.cell) ?? cells.length) : cells.length;
  const shown = parts(cells.length, height, range, active === undefined ? -1 : (places.get(active) ?? -1));
  const keys = shown.map((part) => keyOf(part, cells));
  const arrived = useArranged(list, keys);
  const byKey = new Map(shown.map((part, i) => [keys[i], part]));
  useLayoutEffect(keep);
  useListScroll(view, list, cells, heights);
  const emptied = useEmptied(view, cells.length);

  return (
    <main ref={view} className={styles.view} tabIndex={-1}>
      {(cells.length === 0 || starting) && <Starter onStart={setStarting} readOnly={!mayEdit} emptied={emptied} />}
      <div ref={list} className={styles.list} role="list" aria-label="Cells" data-list hidden={starting}>
        {arrived.map((key) => {
          const part = byKey.get(key);
          if (!part) return null;
          if (part.kind === "spacer") return <div key={key} style={{ height: part.height }} role="presentation" className={styles.spacer} data-part={key} />;
          const { index } = part;
          return (
            <Cell
              key={key}
              id={cells[index] ?? ""}
              index={index > ghostAt ? index - 1 : index}
              count={there.length}
              observe={observe}
              ghost={index === ghostAt}
            />
          );
        })}
        <DropLine />
      </div>
      {cells.length > 0 && !starting && mayEdit && <AddRow />}
    </main>
  );
}

/** Returns the key of a part: a cell, or a spacer. */
function keyOf(part: Part, cells: readonly CellID[]): string {
  return part.kind === "spacer" ? `${part.key} spacer` : (cells[part.index] ?? "");
}

/** Holds the caret's line in place in the list. Returns a function to call after a change of the layout. */
function useHold(view: RefObject<HTMLElement | null>, list: RefObject<HTMLElement | null>): () => void {
  const { hold: handle } = usePage();
  const hold = useRef<Hold>(undefined);
  useLayoutEffect(() => {
    if (!view.current || !list.current) return undefined;
    const made = new Hold(view.current, list.current);
    const stop = made.listen();
    hold.current = made;
    handle.current = made;
    return () => {
      stop();
      hold.current = undefined;
      handle.current = undefined;
    };
  }, [view, list, handle]);
  return useCallback(() => hold.current?.keep(), []);
}
