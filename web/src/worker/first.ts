import { keyedFetch } from "../core/key.js";
import type { Batch } from "../core/view.js";

/** The number of cells to request. */
const cells = 40;
/** The time that the server has to answer, in milliseconds: the data in this browser need not wait for it. */
const patience = 4_000;

/** Returns the first rows of a notebook that came with the page, once: later they would be stale. */
export function rowsInPage(id: string): Batch | undefined {
  const element = document.getElementById("first-rows");
  element?.remove();
  if (!element || element.dataset["notebook"] !== id) return undefined;
  const batch: Batch = JSON.parse(element.textContent);
  return batch;
}

/** Returns the first rows of a notebook from the server; undefined if it does not answer. */
export async function fetchRows(id: string): Promise<Batch | undefined> {
  try {
    const answer = await keyedFetch(`/api/notebooks/${encodeURIComponent(id)}/view?cells=${cells}`, { signal: AbortSignal.timeout(patience) });
    if (!answer.ok) return undefined;
    const batch: Batch = await answer.json();
    return batch;
  } catch {
    return undefined;
  }
}
