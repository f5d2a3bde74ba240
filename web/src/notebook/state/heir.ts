import type { CellID } from "../../core/event.js";

/** Returns the cell after a deleted one, else the one before it. */
export function heirOf(before: readonly CellID[], there: ReadonlySet<CellID>, gone: CellID): CellID | undefined {
  const at = before.indexOf(gone);
  return before.slice(at + 1).find((id) => there.has(id)) ?? before.slice(0, Math.max(at, 0)).findLast((id) => there.has(id));
}
