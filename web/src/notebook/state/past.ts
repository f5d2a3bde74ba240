import type { CellRow } from "../../core/store.js";
import type { Run, Runtime } from "../../core/view.js";

/** Reports whether a run is of an earlier runtime than the one that there is: what it left in the program is gone. */
export function isPast(run: Run | undefined, runtime: Runtime | undefined): boolean {
  if (run?.state !== "finished" || run.epoch === undefined) return false;
  return runtime === undefined || runtime.state === "stopped" || runtime.epoch !== run.epoch;
}

/** Returns the execution count that is shown of a cell: none when its last run came to nothing, for an older count may be of an earlier runtime. */
export function countText(cell: CellRow, run: Run | undefined): string {
  if (run && run.state !== "finished") return "[*]";
  const cut = (run?.status === "cancelled" || run?.status === "lost") && !run.count;
  return cell.count && !cut ? `[${cell.count}]` : "[ ]";
}
