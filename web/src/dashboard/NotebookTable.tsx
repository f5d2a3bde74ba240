import { useRef } from "react";
import { useMe } from "../app/session.js";
import type { Listing } from "../core/api.js";
import { VisuallyHidden } from "../ui/VisuallyHidden.js";
import { NotebookRow } from "./NotebookRow.js";
import styles from "./NotebookTable.module.css";
import type { Query } from "./query.js";
import { SortHead } from "./SortHead.js";
import { sorts } from "./sorts.js";
import type { Actions } from "./useActions.js";
import { useFocusInRows } from "./useFocusInRows.js";
import { useNow } from "./useNow.js";

interface Props {
  readonly notebooks: readonly Listing[];
  readonly query: Query;
  readonly actions: Actions;
}

/** Notebooks in rows. On a narrow screen each row is a card, so that the roles are said again: browsers forget them. */
export function NotebookTable({ notebooks, query, actions }: Props) {
  const body = useRef<HTMLTableSectionElement>(null);
  const me = useMe();
  const now = useNow(30_000);
  const keep = useFocusInRows(body, notebooks);
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
        {notebooks.map((notebook) => (
          <NotebookRow
            key={notebook.id}
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
