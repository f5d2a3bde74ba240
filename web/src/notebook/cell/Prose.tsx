import { type DragEvent, type MouseEvent, Suspense, use, useMemo } from "react";
import type { CellID } from "../../core/event.js";
import { useCell, useText } from "../../core/hooks.js";
import { OutputsOffContext } from "../../output/context/outputsOff.js";
import { Markdown } from "../../output/markdown/Markdown.js";
import { attach, picturesOf } from "../state/attachments.js";
import { attempt } from "../state/attempt.js";
import { usePage } from "../state/page.js";
import { useMay } from "../state/role.js";
import styles from "./Prose.module.css";
import { SkeletonCell } from "./SkeletonCell.js";

/** A rendered Markdown cell. A double click edits it, and a dropped picture is appended. */
export function Prose({ id }: { readonly id: CellID }) {
  const page = usePage();
  const { ui } = page;
  const text = useText(id);
  const metadata = useCell(id)?.metadata;
  const pictures = useMemo(() => picturesOf(metadata), [metadata]);
  const mayEdit = useMay("edit");
  const outputsOff = use(OutputsOffContext) !== undefined;
  const edit = (event: MouseEvent): void => {
    if (!mayEdit || (event.target instanceof Element && event.target.closest("a"))) return;
    ui.write([id], true);
    ui.go(id, "edit");
  };
  const drop = (event: DragEvent): void => {
    if (!mayEdit || event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    const files = [...event.dataTransfer.files];
    void attempt(page, () => attach(page, id, files, text?.source.length ?? 0));
  };
  if (!text) return <SkeletonCell lines={2} />;
  return (
    <div className={styles.prose} onDoubleClick={edit} onDrop={drop}>
      {text.source.trim() === "" ? (
        <p className={styles.empty}>{mayEdit ? "Empty text: press Enter or double-click to write." : "Empty text"}</p>
      ) : outputsOff ? (
        <pre className={styles.plain}>{text.source.slice(0, 100_000)}</pre>
      ) : (
        <Suspense fallback={<pre className={styles.plain}>{text.source}</pre>}>
          <Markdown source={text.source} pictures={pictures} />
        </Suspense>
      )}
    </div>
  );
}
