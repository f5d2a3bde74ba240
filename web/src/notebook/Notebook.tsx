import { type DragEvent, useEffect, useRef } from "react";
import type { Client } from "../core/client.js";
import { ClientContext, useNotebook, useStatusOf } from "../core/hooks.js";
import { ArtifactsContext, artifactsOf } from "../output/artifact/artifacts.js";
import { JumpContext } from "../output/context/jump.js";
import { OutputsOffContext } from "../output/context/outputsOff.js";
import { notebook } from "../routing/route.js";
import { useRouter } from "../routing/router.js";
import { Skeleton } from "./cell/Skeleton.js";
import { BottomBar } from "./header/BottomBar.js";
import { Header } from "./header/Header.js";
import { CellList } from "./list/CellList.js";
import { LiveRegion } from "./LiveRegion.js";
import styles from "./Notebook.module.css";
import { Ended } from "./notices/Ended.js";
import { Notices } from "./notices/Notices.js";
import { OutputsOffBanner } from "./notices/OutputsOffBanner.js";
import { LazyPanels } from "./panels/LazyPanels.js";
import { SidePanel } from "./panels/SidePanel.js";
import { forgetFolds, keepFolds } from "./state/folds.js";
import { type Page, PageContext, usePage } from "./state/page.js";
import { forgetRefusals } from "./state/refusals.js";
import { useClipboard } from "./useClipboard.js";
import { useDeleted } from "./useDeleted.js";
import { useJump } from "./useJump.js";
import { useKeys } from "./useKeys.js";
import { useNewPage } from "./useNewPage.js";
import { useOutputsOff } from "./useOutputsOff.js";
import { useRunEnds } from "./useRunEnds.js";

/** A notebook, with any client. */
export function Notebook({ id, client }: { readonly id: string; readonly client: Client }) {
  const page = useNewPage(id, client);
  const outputsOff = useOutputsOff(id);
  return (
    <ClientContext value={client}>
      <PageContext value={page}>
        <ArtifactsContext value={artifactsOf(id)}>
          <OutputsOffContext value={outputsOff}>
            <Shown />
          </OutputsOffContext>
        </ArtifactsContext>
      </PageContext>
    </ClientContext>
  );
}

function Shown() {
  const page = usePage();
  const root = useRef<HTMLDivElement>(null);
  const jump = useJump(page);
  useAddress(page.id);
  useKeys(page, root);
  useClipboard(page, root);
  useDeleted(page);
  useFolds(page);
  usePresence(page);
  useRunEnds(page);
  usePurged(page);
  return (
    <JumpContext value={jump}>
      <div ref={root} className={styles.page} onFocus={(event) => noteLeft(page.ui, event.target)} onDragOver={keep} onDrop={keep}>
        <Head />
        <Notices />
        <OutputsOffBanner />
        <div className={styles.middle}>
          <Main />
          <SidePanel />
        </div>
        <BottomBar />
        <LazyPanels />
        <LiveRegion />
      </div>
    </JumpContext>
  );
}

/** A dropped file that no element takes would replace the page. */
function keep(event: DragEvent): void {
  if (!event.dataTransfer.types.includes("Files")) return;
  event.preventDefault();
  if (event.type === "dragover" && event.target instanceof Element && !event.target.closest("[data-kind='markdown']")) event.dataTransfer.dropEffect = "none";
}

/** A focus outside of the cells' editors ends edit mode. */
function noteLeft(ui: { left(): void }, target: EventTarget): void {
  if (target instanceof Element && !target.closest("[data-editor]")) ui.left();
}

/** The title of the document, and the header unless the server does not show the notebook. */
function Head() {
  const there = useNotebook() !== undefined;
  const ended = useStatusOf((status) => status?.closed !== undefined);
  return there || !ended ? <Header /> : null;
}

function Main() {
  const there = useNotebook() !== undefined;
  const code = useStatusOf((status) => status?.closed?.code);
  const message = useStatusOf((status) => status?.closed?.message) ?? "";
  if (there) return <CellList />;
  return code === undefined ? <Skeleton /> : <Ended code={code} message={message} />;
}

/** Keeps the title in the page's address up to date. Only the id in it counts. */
function useAddress(id: string): void {
  const router = useRouter();
  const title = useNotebook()?.title;
  useEffect(() => {
    const now = router.route();
    if (title === undefined || now.page !== "notebook" || now.id !== id) return;
    const named = notebook(id, title);
    if (named.page === "notebook" && named.slug !== now.slug) router.replace(named);
  }, [router, id, title]);
}

/** Publishes the active cell. The editor itself publishes the caret. */
function usePresence({ client, ui }: Page): void {
  useEffect(() => {
    let told: string | undefined;
    const tell = (): void => {
      const { active, mode } = ui.state;
      if (mode === "edit") told = undefined;
      else if (active !== told) client.present(active === undefined ? {} : { cell: active });
      if (mode === "command") told = active;
    };
    tell();
    return ui.listen(tell);
  }, [client, ui]);
}

/** Stores the user's folds in this browser, so they survive a reload. */
function useFolds({ id, client: { store }, ui }: Page): void {
  useEffect(() => {
    let kept = ui.state.folds;
    return ui.listen(() => {
      const { folds } = ui.state;
      if (folds === kept) return;
      kept = folds;
      keepFolds(id, folds, (cell) => store.cell(cell) !== undefined);
    });
  }, [id, store, ui]);
}

/** Reloads the page when its notebook was purged, without any of the tab's data of it. */
function usePurged({ id, client: { store } }: Page): void {
  useEffect(() => {
    const purged = (): void => {
      forgetFolds(id);
      forgetRefusals(id);
      if (store.notebook() !== undefined) location.reload();
    };
    addEventListener("quire:purged", purged);
    return () => removeEventListener("quire:purged", purged);
  }, [id, store]);
}
