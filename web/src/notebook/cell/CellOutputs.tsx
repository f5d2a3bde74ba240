import { ChevronRight } from "lucide-react";
import { type RefObject, use } from "react";
import { useClient } from "../../core/hooks.js";
import type { CellRow, Store } from "../../core/store.js";
import type { Run } from "../../core/view.js";
import { counted } from "../../lib/counted.js";
import { OutputsOffContext } from "../../output/context/outputsOff.js";
import { Outputs } from "../../output/Outputs.js";
import { useTypedIn } from "../../output/useTypedIn.js";
import { foldOutputs } from "../state/actions.js";
import { useUI, usePage } from "../state/page.js";
import { runnable } from "../state/runs.js";
import { Approvals } from "./Approvals.js";
import styles from "./CellOutputs.module.css";
import { Questions } from "./Questions.js";
import { RunEndReason } from "./RunEndReason.js";

interface Props {
  readonly cell: CellRow;
  readonly run: Run | undefined;
  readonly group: RefObject<HTMLElement | null>;
}

/** The outputs of the cell's runs, the reason of a run without any, and the question of the program or the assistant. */
export function CellOutputs({ cell, run, group }: Props) {
  const page = usePage();
  const folded = useUI((state) => state.folds.get(cell.id)?.outputs) ?? cell.hideOutputs ?? false;
  const scrolled = useUI((state) => state.folds.get(cell.id)?.scrolled) ?? false;
  const { store } = useClient();
  const outputsOff = use(OutputsOffContext) !== undefined;
  const count = cell.outputs?.length ?? 0;
  const typed = useTypedIn(cell.id) !== undefined;
  const open = typed || (count > 0 && !folded && !outputsOff);
  const shown = !folded && !outputsOff && run !== undefined && isShown(store, cell, run);
  return (
    <>
      {run && runnable(cell.kind) && !shown && <RunEndReason run={run} />}
      {count > 0 && folded && !typed && (
        <button type="button" className={styles.folded} aria-expanded={false} onClick={() => foldOutputs(page, [cell.id])}>
          <ChevronRight aria-hidden />
          {counted(count, "output")} collapsed
        </button>
      )}
      {count > 0 && !folded && outputsOff && <p className={styles.quiet}>{counted(count, "output")} not shown</p>}
      {open && (
        <div className={styles.outputs} data-scrolled={scrolled || undefined} {...(scrolled ? { tabIndex: 0, role: "region", "aria-label": "Outputs" } : {})}>
          <Outputs cell={cell.id} />
        </div>
      )}
      <Approvals cell={cell} run={run} />
      <Questions cell={cell.id} run={run} group={group} />
    </>
  );
}

/** Reports whether the reason of a run's end is among its outputs: a dead engine is an error there. */
function isShown(store: Store, cell: CellRow, { id, reason }: Run): boolean {
  return (
    reason !== undefined &&
    (cell.outputs ?? []).some((output) => {
      const row = store.output(output);
      return row?.run === id && row.value.error?.message === reason;
    })
  );
}
