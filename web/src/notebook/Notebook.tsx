import { type DragEvent, useRef } from "react";
import type { Client } from "../core/client.js";
import { ClientContext, useNotebook, useStatusOf } from "../core/hooks.js";
import { ArtifactsContext, artifactsOf } from "../output/artifact/artifacts.js";
import { JumpContext } from "../output/context/jump.js";
import { QuietContext } from "../output/context/quiet.js";
import { Skeleton } from "./cell/Skeleton.js";
import { BottomBar } from "./header/BottomBar.js";
import { Header } from "./header/Header.js";
import { CellList } from "./list/CellList.js";
import { LiveRegion } from "./LiveRegion.js";
import styles from "./Notebook.module.css";
import { Ended } from "./notices/Ended.js";
import { Notices } from "./notices/Notices.js";
import { QuietBanner } from "./notices/QuietBanner.js";
import { Panels } from "./panels/Panels.js";
import { Side } from "./panels/Side.js";
import { PageContext, usePage } from "./state/page.js";
import { useAddress } from "./useAddress.js";
import { useClipboard } from "./useClipboard.js";
import { useDeleted } from "./useDeleted.js";
import { useFolds } from "./useFolds.js";
import { useJump } from "./useJump.js";
import { useKeys } from "./useKeys.js";
import { useNewPage } from "./useNewPage.js";
import { usePresence } from "./usePresence.js";
import { usePurged } from "./usePurged.js";
import { useQuiet } from "./useQuiet.js";
import { useRunEnds } from "./useRunEnds.js";

/** A notebook, with any client. */
export function Notebook({ id, client }: { readonly id: string; readonly client: Client }) {
  const page = useNewPage(id, client);
  const quiet = useQuiet(id);
  return (
    <ClientContext value={client}>
      <PageContext value={page}>
        <ArtifactsContext value={artifactsOf(id)}>
          <QuietContext value={quiet}>
            <Shown />
          </QuietContext>
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
        <QuietBanner />
        <div className={styles.middle}>
          <Main />
          <Side />
        </div>
        <BottomBar />
        <Panels />
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
