import type { CellKind } from "../../core/event.js";
import type { CellRow } from "../../core/store.js";
import type { Run, Runtime } from "../../core/view.js";
import { assertNever } from "../../lib/assert.js";
import { duration, tookOf } from "./duration.js";
import { endingOf } from "./ending.js";

/** Returns the name of a kind of cell. */
export function kindName(kind: CellKind): string {
  switch (kind) {
    case "code":
      return "Code";
    case "markdown":
      return "Markdown";
    case "sql":
      return "SQL";
    case "ai":
      return "AI";
    case "raw":
      return "Raw text";
    default:
      return assertNever(kind);
  }
}

/** Returns the accessible name of a cell. */
export function cellLabel(place: number, kind: CellKind, run: Run | undefined, past = false): string {
  const state = run ? runText(run, past) : "";
  return `Cell ${place}, ${kindName(kind).toLowerCase()}${state === "" ? "" : `, ${state}`}`;
}

/** Returns the state of a run in words; past marks a run of an earlier runtime. */
export function runText(run: Run, past = false): string {
  switch (run.state) {
    case "pending":
      return "queued";
    case "assigned":
    case "started":
      return run.cancelled ? "is stopping" : "is running";
    case "finished":
      return `${endText(run)}${past ? ", in an earlier runtime" : ""}`;
    default:
      return assertNever(run.state);
  }
}

function endText(run: Run): string {
  const { status } = run;
  const took = tookOf(run);
  const ending = endingOf(run);
  const time = took === undefined ? "" : duration(took);
  switch (status) {
    case "error":
      return `failed${time && ` after ${time}`}`;
    case "cancelled":
    case "skipped":
    case "lost":
      return `${ending?.kind === "lost" ? "runtime lost" : (ending?.kind ?? "")}${ending?.kind === "stopped" && time ? ` after ${time}` : ""}${ending?.why === undefined ? "" : `: ${ending.why}`}`;
    case "ok":
    case undefined:
      return `ran${time && ` in ${time}`}${ending?.why === undefined ? "" : `: ${ending.why}`}`;
    default:
      return assertNever(status);
  }
}

/** Returns whether a run is unfinished. */
export function unfinished(run: Run | undefined): boolean {
  return run !== undefined && run.state !== "finished";
}

/** Reports whether a run belongs to an earlier runtime, whose program state is gone. An assistant has none. */
export function isPast(run: Run | undefined, runtime: Runtime | undefined): boolean {
  if (run?.state !== "finished" || run.epoch === undefined || run.takes === "ai") return false;
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
