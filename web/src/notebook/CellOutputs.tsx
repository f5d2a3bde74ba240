import { ChevronRight } from "lucide-react";
import type { RefObject } from "react";
import type { CellRow } from "../core/store.js";
import type { Run } from "../core/view.js";
import { Outputs } from "../output/Outputs.js";
import { foldOutputs } from "./actions.js";
import styles from "./CellOutputs.module.css";
import { Questions } from "./Questions.js";
import { RunNote } from "./RunNote.js";
import { runnable } from "./runs.js";
import { useDesk, usePage } from "./page.js";
import { counted } from "./status.js";

interface Props {
  readonly cell: CellRow;
  readonly run: Run | undefined;
  readonly group: RefObject<HTMLElement | null>;
}

/** What the cell's runs produced or why they did not, and what its program asks. */
export function CellOutputs({ cell, run, group }: Props) {
  const page = usePage();
  const folded = useDesk((state) => state.folds.get(cell.id)?.outputs) ?? cell.hideOutputs ?? false;
  const scrolled = useDesk((state) => state.folds.get(cell.id)?.scrolled) ?? false;
  const count = cell.outputs?.length ?? 0;
  return (
    <>
      {run && runnable(cell.kind) && <RunNote run={run} />}
      {count > 0 && folded && (
        <button type="button" className={styles.folded} aria-expanded={false} onClick={() => foldOutputs(page, [cell.id])}>
          <ChevronRight aria-hidden />
          {counted(count, "output")} folded
        </button>
      )}
      {count > 0 && !folded && (
        <div className={styles.outputs} data-scrolled={scrolled || undefined} {...(scrolled ? { tabIndex: 0, role: "region", "aria-label": "Outputs" } : {})}>
          <Outputs cell={cell.id} />
        </div>
      )}
      {run && run.state !== "finished" && <Questions run={run.id} group={group} />}
    </>
  );
}
