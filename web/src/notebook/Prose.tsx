import { type MouseEvent, Suspense } from "react";
import type { CellID } from "../core/event.js";
import { useText } from "../core/hooks.js";
import { Markdown } from "../output/Markdown.js";
import { usePage } from "./page.js";
import styles from "./Prose.module.css";
import { useMay } from "./role.js";
import { SkeletonCell } from "./SkeletonCell.js";

/** What a Markdown cell says. A double click edits it. */
export function Prose({ id }: { readonly id: CellID }) {
  const { desk } = usePage();
  const text = useText(id);
  const mayEdit = useMay("edit");
  const edit = (event: MouseEvent): void => {
    if (!mayEdit || (event.target instanceof Element && event.target.closest("a"))) return;
    desk.write([id], true);
    desk.go(id, "edit");
  };
  if (!text) return <SkeletonCell lines={2} />;
  return (
    <div className={styles.prose} onDoubleClick={edit}>
      {text.source.trim() === "" ? (
        <p className={styles.empty}>{mayEdit ? "Empty text: press Enter or double-click to write." : "Empty text"}</p>
      ) : (
        <Suspense fallback={<pre className={styles.plain}>{text.source}</pre>}>
          <Markdown source={text.source} />
        </Suspense>
      )}
    </div>
  );
}
