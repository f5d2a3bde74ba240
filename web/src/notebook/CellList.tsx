import { useMemo, useRef, useState } from "react";
import type { CellID } from "../core/event.js";
import { useNotebook } from "../core/hooks.js";
import { AddRow } from "./AddRow.js";
import { Cell } from "./Cell.js";
import styles from "./CellList.module.css";
import { DropLine } from "./DropLine.js";
import { Heights } from "./heights.js";
import { useDesk, usePage } from "./page.js";
import { useMay } from "./role.js";
import { Starter } from "./Starter.js";
import { useList } from "./useList.js";
import { useWindow } from "./useWindow.js";
import { parts } from "./window.js";

const none: readonly CellID[] = [];

/** The cells. Those far from what is seen are not in the page, only the room they take. */
export function CellList() {
  const page = usePage();
  const cells = useNotebook()?.cells ?? none;
  const active = useDesk((state) => state.active);
  const mayEdit = useMay("edit");
  const [starting, setStarting] = useState(false);
  const view = useRef<HTMLElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const heights = useMemo(() => new Heights(page.client.store), [page]);
  const { range, observe } = useWindow(view, list, cells, heights);
  const height = (i: number): number => heights.of(cells[i] ?? "");
  const places = useMemo(() => new Map(cells.map((id, i) => [id, i])), [cells]);
  useList(view, list, cells, heights);

  return (
    <main ref={view} className={styles.view} tabIndex={-1}>
      {(cells.length === 0 || starting) && <Starter onStart={setStarting} readOnly={!mayEdit} />}
      <div ref={list} className={styles.list} role="list" aria-label="Cells" data-list hidden={starting}>
        {parts(cells.length, height, range, active === undefined ? -1 : (places.get(active) ?? -1)).map((part) =>
          part.kind === "room" ? (
            <div key={part.key} style={{ height: part.height }} role="presentation" className={styles.room} />
          ) : (
            <Cell key={cells[part.index]} id={cells[part.index] ?? ""} index={part.index} count={cells.length} observe={observe} />
          ),
        )}
        <DropLine />
      </div>
      {cells.length > 0 && !starting && mayEdit && <AddRow />}
    </main>
  );
}
