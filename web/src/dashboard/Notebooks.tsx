import { useEffect } from "react";
import type { Query } from "../routing/query.js";
import { useAnnounce } from "../ui/announce.js";
import { Button } from "../ui/Button.js";
import { EmptyState } from "./EmptyState.js";
import { FailedState } from "./FailedState.js";
import { ListSkeleton } from "./ListSkeleton.js";
import { useNotebookList, useListSnapshot } from "./NotebookListProvider.js";
import styles from "./Notebooks.module.css";
import { NotebookTable } from "./NotebookTable.js";
import type { Actions } from "./useActions.js";

interface Props {
  readonly query: Query;
  readonly actions: Actions;
}

/** The notebooks of a query, or the reason for their absence. */
export function Notebooks({ query, actions }: Props) {
  const list = useNotebookList();
  const { notebooks, more, state } = useListSnapshot();
  useCount(state.kind === "ready", notebooks.length, more, query.search);
  if (state.kind === "loading") return <ListSkeleton />;
  if (state.kind === "failed") return <FailedState message={state.message} onRetry={list.retry} />;
  if (notebooks.length === 0) return <EmptyState query={query} actions={actions} />;
  return (
    <>
      <NotebookTable notebooks={notebooks} query={query} actions={actions} />
      {more && (
        <div className={styles.more}>
          <Button onClick={list.more}>Show more</Button>
        </div>
      )}
    </>
  );
}

/** Announces the number of notebooks that a search has found. */
function useCount(ready: boolean, count: number, more: boolean, search: string): void {
  const announce = useAnnounce();
  useEffect(() => {
    if (!ready || search === "") return;
    announce(`${count === 0 ? "no" : count}${more ? " and more" : ""} ${count === 1 ? "notebook" : "notebooks"} found`);
  }, [announce, ready, count, more, search]);
}
