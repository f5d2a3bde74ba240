import { keyedFetch } from "../core/key.js";
import type { Batch } from "../core/view.js";

/** How many cells the server is asked for. */
const cells = 40;
/** How long the server has to answer, in milliseconds: what is kept in this browser need not wait for it. */
const patience = 4_000;

/** Returns the first rows of a notebook that came with the page, once: later they are not the latest any more. */
export function rowsInPage(id: string): Batch | undefined {
  const element = document.getElementById("first-rows");
  element?.remove();
  if (!element || element.dataset["notebook"] !== id) return undefined;
  const batch: Batch = JSON.parse(element.textContent);
  return batch;
}

/** Returns the first rows of a notebook as the server has them; undefined when it does not answer. */
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
