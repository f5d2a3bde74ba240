import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Listing } from "../core/http.js";
import type { Query } from "../routing/query.js";
import { useMe } from "../session/session.js";
import { useArranged } from "../ui/useArranged.js";
import { VisuallyHidden } from "../ui/VisuallyHidden.js";
import { NotebookRow } from "./NotebookRow.js";
import styles from "./NotebookTable.module.css";
import { focusRow, rowsIn } from "./rows.js";
import { SortHead } from "./SortHead.js";
import { sorts } from "./sorts.js";
import type { Actions } from "./useActions.js";

interface Props {
  readonly notebooks: readonly Listing[];
  readonly query: Query;
  readonly actions: Actions;
}

/**
 * Notebooks in rows. On a narrow screen each row is a card. The roles are explicit, because browsers drop the roles of tables
 * with another display.
 */
export function NotebookTable({ notebooks, query, actions }: Props) {
  const body = useRef<HTMLTableSectionElement>(null);
  const me = useMe();
  const now = useNow(30_000);
  const [renamed, setRenamed] = useState<{ readonly notebook: Listing; readonly index: number }>();
  const rows = withRow(notebooks, renamed);
  const arrived = useArranged(
    body,
    rows.map(({ id }) => id),
  );
  const byID = new Map(rows.map((row) => [row.id, row]));
  const keep = useFocusInRows(body, rows);
  return (
    <table className={styles.table} role="table" aria-label={query.deleted ? "Deleted notebooks" : "Notebooks"}>
      <thead role="rowgroup" className={styles.head}>
        <tr role="row" className={styles.row}>
          {sorts.map(({ sort, label }) => (
            <SortHead key={sort} sort={sort} label={label} query={query} />
          ))}
          <th role="columnheader" scope="col">
            <VisuallyHidden>Actions</VisuallyHidden>
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup" ref={body}>
        {arrived
          .flatMap((id) => byID.get(id) ?? [])
          .map((notebook) => (
            <NotebookRow
              key={notebook.id}
              renaming={renamed?.notebook.id === notebook.id}
              onRenaming={(on) => setRenamed(on ? { notebook, index: rows.indexOf(notebook) } : undefined)}
              notebook={notebook}
              foreign={me !== undefined && me.actor !== `person:${notebook.owner}`}
              now={now}
              actions={actions}
              onFocus={keep}
            />
          ))}
      </tbody>
    </table>
  );
}

/** Returns the notebooks with the one whose title is being edited, even if it has left the list. */
function withRow(notebooks: readonly Listing[], renamed: { readonly notebook: Listing; readonly index: number } | undefined): readonly Listing[] {
  if (!renamed || notebooks.some(({ id }) => id === renamed.notebook.id)) return notebooks;
  return notebooks.toSpliced(renamed.index, 0, renamed.notebook);
}

/** Returns the time in milliseconds, updated at an interval. */
function useNow(every: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}

/**
 * Keeps the focus in the list when the focused row disappears: the row in its place gets it. Returns a function to be called
 * with the focused row.
 */
function useFocusInRows(body: RefObject<HTMLElement | null>, notebooks: readonly Listing[]): (id: string) => void {
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
