import type { Batch } from "../core/view.js";

/** How many cells the server sends for the first paint. */
const cells = 40;

/** Returns the first rows of a notebook as the server has them; undefined when it does not answer. */
export async function firstView(id: string): Promise<Batch | undefined> {
  try {
    const answer = await fetch(`/api/notebooks/${encodeURIComponent(id)}/view?cells=${cells}`, { credentials: "same-origin" });
    if (!answer.ok) return undefined;
    const batch: Batch = await answer.json();
    return batch;
  } catch {
    return undefined;
  }
}
