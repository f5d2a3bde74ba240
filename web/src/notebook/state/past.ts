import type { CellRow } from "../../core/store.js";
import type { Run, Runtime } from "../../core/view.js";

/** Reports whether a run belongs to an earlier runtime, whose program state is gone. */
export function isPast(run: Run | undefined, runtime: Runtime | undefined): boolean {
  if (run?.state !== "finished" || run.epoch === undefined) return false;
  return runtime === undefined || runtime.state === "stopped" || runtime.epoch !== run.epoch;
}

/**
 * Returns the displayed execution count of a cell: none if its last run was cancelled or lost before it had one, because the
 * older count may be of an earlier runtime.
 */
export function countText(cell: CellRow, run: Run | undefined): string {
  if (run && run.state !== "finished") return "[*]";
  const cut = (run?.status === "cancelled" || run?.status === "lost") && !run.count;
  return cell.count && !cut ? `[${cell.count}]` : "[ ]";
}
