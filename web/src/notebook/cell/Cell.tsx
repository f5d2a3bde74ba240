import { type FocusEvent, memo, type MouseEvent, type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { CellID } from "../../core/event.js";
import { useCell, useRun, useRuntime } from "../../core/hooks.js";
import type { EditorHandle } from "../../editor/Editor.js";
import { classes } from "../../lib/classes.js";
import { cellLabel, isPast } from "../state/label.js";
import { usePage, useUI } from "../state/page.js";
import { Between } from "./Between.js";
import styles from "./Cell.module.css";
import { CellBar } from "./CellBar.js";
import { CellBody } from "./CellBody.js";
import { CellOutputs } from "./CellOutputs.js";
import { CellPeople } from "./CellPeople.js";
import { GhostBar } from "./GhostBar.js";
import { Gutter } from "./Gutter.js";
import { SkeletonCell } from "./SkeletonCell.js";

interface Props {
  readonly id: CellID;
  readonly index: number;
  readonly count: number;
  readonly observe: (element: HTMLElement) => () => void;
  /** The cell is deleted, and stays while the user types in it. */
  readonly ghost: boolean;
}

/** A cell: its state, its source and its outputs. It is rendered again only when its own data changes. */
export const Cell = memo(function Cell({ id, index, count, observe, ghost }: Props) {
  const { ui } = usePage();
  const cell = useCell(id);
  const run = useRun(cell?.run);
  const past = isPast(run, useRuntime(run?.takes));
  const active = useUI((state) => state.active === id);
  const selected = useUI((state) => state.selected.has(id));
  const editing = useUI((state) => state.active === id && state.mode === "edit");
  const many = useUI((state) => state.selected.size > 1 && state.selected.has(id));
  const flash = useUI((state) => (state.flash?.cell === id ? state.flash.turn : 0));
  const [near, setNear] = useState(false);
  const item = useRef<HTMLDivElement>(null);
  const group = useRef<HTMLDivElement>(null);
  const handle = useFocus(id, group);
  useEffect(() => (item.current ? observe(item.current) : undefined), [observe]);

  const onFocus = (event: FocusEvent): void => {
    if (!group.current?.contains(event.target) || event.target.closest("[data-editor]")) return;
    ui.entered(id, "command");
  };
  const onMouseDown = (event: MouseEvent): void => {
    if (event.button !== 0 || !(event.target instanceof Element) || isControl(event.target) || !group.current?.contains(event.target)) return;
    if (event.shiftKey) {
      event.preventDefault();
      ui.extend(id);
    } else if (ui.state.selected.size > 1 || ui.state.active !== id) ui.place(id);
  };
  const onContextMenu = (event: MouseEvent): void => {
    if (!(event.target instanceof Element) || !group.current?.contains(event.target) || hasMenu(event.target)) return;
    if (document.getSelection()?.isCollapsed === false) return; // selected text is meant to be copied
    event.preventDefault();
    if (!ui.state.selected.has(id)) ui.place(id);
    ui.openMenu(id);
  };
  return (
    <div
      ref={item}
      className={styles.item}
      role="listitem"
      aria-posinset={index + 1}
      aria-setsize={count}
      data-cell={id}
      data-part={id}
      onPointerEnter={() => setNear(true)}
      onPointerLeave={() => setNear(false)}
    >
      <div
        ref={group}
        className={classes(styles.cell, active && styles.active, many && styles.selected, editing && styles.editing)}
        role="group"
        data-group="cell"
        data-kind={cell?.kind}
        data-selected={selected || undefined}
        aria-label={ghost ? "Deleted cell" : cellLabel(index + 1, cell?.kind ?? "code", run, past)}
        aria-current={active || undefined}
        tabIndex={active ? 0 : -1}
        onFocus={onFocus}
        onMouseDown={onMouseDown}
        onContextMenu={onContextMenu}
      >
        {flash > 0 && <span key={flash} className={styles.flash} aria-hidden />}
        {cell ? (
          <>
            <Gutter cell={cell} run={run} past={past} place={index + 1} near={near || active} />
            <div className={styles.content}>
              <GhostBar id={id} shown={ghost} />
              <CellBody cell={cell} place={ghost ? undefined : index + 1} handle={handle} />
              <CellOutputs cell={cell} run={run} group={group} />
            </div>
            <CellPeople id={id} />
            {(near || active) && !ghost && <CellBar cell={cell} first={index === 0} last={index === count - 1} />}
          </>
        ) : (
          <SkeletonCell lines={2} />
        )}
      </div>
      {(near || active) && !ghost && index < count - 1 && <Between after={id} />}
    </div>
  );
});

/** Whether the browser's own menu offers more for an element: copy, paste, open. */
function hasMenu(element: Element): boolean {
  return element.closest("a, img, input, textarea, select, iframe, [role='menu'], [data-editor], [data-output]") !== null;
}

/** Whether a click on an element is meant for it and not for its cell. */
function isControl(element: Element): boolean {
  return element.closest("button, a, input, textarea, select, summary, iframe, [role='menu'], [data-editor], [data-handle]") !== null;
}

/**
 * Focuses a cell when the UI state wants it there: the cell itself in command mode, its editor in edit mode, as soon as there
 * is one. Returns the editor's ref.
 */
function useFocus(cell: CellID, element: RefObject<HTMLElement | null>): (handle: EditorHandle | null) => void {
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
  return useCallback(
    (handle: EditorHandle | null) => {
      ui.edits(cell, handle);
      if (handle) give();
    },
    [ui, cell, give],
  );
}
