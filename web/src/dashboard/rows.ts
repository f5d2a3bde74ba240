/** Returns the focusable element of each row, in order. */
export function rowsIn(element: Element): readonly HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>("[data-row]:not([hidden])")];
}

/** Focuses a row, or the nearest one. */
export function focusRow(rows: readonly HTMLElement[], index: number): void {
  rows[Math.max(0, Math.min(index, rows.length - 1))]?.focus();
}

/** Focuses the row at an offset from the focused one, or else the first. */
export function moveFocus(rows: readonly HTMLElement[], by: number): void {
  const { activeElement } = document;
  const row = activeElement?.closest("[data-notebook]");
  const at = row ? rows.findIndex((one) => row.contains(one)) : -1;
  focusRow(rows, at < 0 ? 0 : at + by);
}
