/** Returns what has the focus of each row, from the first one. */
export function rowsIn(element: Element): readonly HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>("[data-row]:not([hidden])")];
}

/** Puts the focus on a row: the nearest that there is. */
export function focusRow(rows: readonly HTMLElement[], index: number): void {
  rows[Math.max(0, Math.min(index, rows.length - 1))]?.focus();
}

/** Puts the focus on the row so many below the one that has it, or else on the first. */
export function moveFocus(rows: readonly HTMLElement[], by: number): void {
  const { activeElement } = document;
  const row = activeElement?.closest("[data-notebook]");
  const at = row ? rows.findIndex((one) => row.contains(one)) : -1;
  focusRow(rows, at < 0 ? 0 : at + by);
}
