import type { CellID } from "../../core/event.js";

/** Slot is the target of dragged cells: above a cell, or below the last one in the page. */
export interface Slot {
  readonly before?: CellID;
  readonly after?: CellID;
  /** The place of the line, in pixels from the top of the measured boxes. */
  readonly y: number;
}

/** Row is a cell in the page, and its place. */
export interface Row {
  readonly cell: CellID;
  readonly top: number;
  readonly bottom: number;
}

/** Returns the slot nearest to a height; undefined if no cell is in the page. */
export function slotAt(rows: readonly Row[], y: number): Slot | undefined {
  const last = rows.at(-1);
  if (!last) return undefined;
  const below = rows.find((row) => y < (row.top + row.bottom) / 2);
  return below ? { before: below.cell, y: below.top } : { after: last.cell, y: last.bottom };
}

/** Returns the scroll speed, in pixels a frame, for a pointer near an edge or beyond it. */
export function speedAt(y: number, top: number, bottom: number, edge = 56): number {
  if (y < top + edge) return -Math.ceil(Math.min((top + edge - y) / 4, 24));
  if (y > bottom - edge) return Math.ceil(Math.min((y - bottom + edge) / 4, 24));
  return 0;
}

/** Whether dropping cells in a slot would leave the order unchanged. */
export function isStill(order: readonly CellID[], cells: readonly CellID[], slot: Slot): boolean {
  const at = slot.before !== undefined ? order.indexOf(slot.before) : order.length;
  const first = order.indexOf(cells[0] ?? "");
  const together = cells.every((id, i) => order[first + i] === id);
  return together && at >= first && at <= first + cells.length;
}
