import { useEffect, useLayoutEffect, useRef } from "react";
import { whenIdle } from "../lib/whenIdle.js";
import type { Query } from "../routing/query.js";
import { useDocumentTitle } from "../routing/useDocumentTitle.js";
import { useReturn } from "../session/session.js";
import { ThemeMenu } from "../ui/ThemeMenu.js";
import styles from "./DashboardPage.module.css";
import { DropOverlay } from "./DropOverlay.js";
import { forgetPurged } from "./forgetPurged.js";
import { ImportButton } from "./ImportButton.js";
import { ImportPanel } from "./ImportPanel.js";
import { NewButton } from "./NewButton.js";
import { useListSnapshot, useNotebookList } from "./NotebookListProvider.js";
import { Notebooks } from "./Notebooks.js";
import { SearchField } from "./SearchField.js";
import { SortMenu } from "./SortMenu.js";
import { Tabs } from "./Tabs.js";
import { useActions } from "./useActions.js";
import { useDashboardKeys } from "./useDashboardKeys.js";

/** The page with the list of notebooks. Its address holds its whole query. */
export function DashboardPage({ query }: { readonly query: Query }) {
  const list = useNotebookList();
  const actions = useActions();
  const main = useRef<HTMLElement>(null);
  const bare = useBare(query); // the buttons stand in the empty state instead
  useLayoutEffect(() => list.show(query), [list, query]);
  useFresh(list.refresh);
  useEffect(() => whenIdle(() => void forgetPurged().catch(() => {})), []); // a failure is retried at the next visit
  useDashboardKeys(main, actions);
  useDocumentTitle(query.deleted ? "Deleted notebooks" : "");
  return (
    <div className={styles.page}>
      <header className={styles.top}>
        <span className={styles.brand}>
          <img src="/icon.svg" alt="" width="24" height="24" />
          Quire
        </span>
        <span className={styles.corner}>
          <ThemeMenu />
          <a className={styles.out} href="/logout">
            Sign out
          </a>
        </span>
      </header>
      <main ref={main} className={styles.main} tabIndex={-1}>
        <div className={styles.head}>
          <h1>Notebooks</h1>
          {!bare && (
            <div className={styles.actions}>
              <ImportButton onFiles={actions.import} />
              <NewButton onClick={actions.create} />
            </div>
          )}
        </div>
        <ImportPanel />
        <div className={styles.tools}>
          <Tabs query={query} />
          {!bare && <SearchField query={query} />}
          {!bare && <SortMenu query={query} />}
        </div>
        <Notebooks query={query} actions={actions} />
      </main>
      <DropOverlay onFiles={actions.import} />
    </div>
  );
}

/** Reports whether there are no notebooks at all. */
function useBare(query: Query): boolean {
  const { state, notebooks } = useListSnapshot();
  return state.kind === "ready" && notebooks.length === 0 && query.search === "" && !query.deleted;
}

const every = 30_000; // milliseconds

/** Calls refresh periodically while the page is visible, and whenever the user returns to it. */
function useFresh(refresh: () => void): void {
  useReturn(refresh);
  useEffect(() => {
    const ifSeen = () => {
      if (document.visibilityState === "visible") refresh();
    };
    const timer = setInterval(ifSeen, every);
    window.addEventListener("focus", ifSeen);
    document.addEventListener("visibilitychange", ifSeen);
    return () => {
      clearInterval(timer);
      window.removeEventListener("focus", ifSeen);
      document.removeEventListener("visibilitychange", ifSeen);
    };
  }, [refresh]);
}
