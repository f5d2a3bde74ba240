import type { Batch } from "../core/view.js";

/** How many cells the server sends for the first paint; public/early.js asks for the same. */
const cells = 40;

declare global {
  /** What public/early.js asked for while this script was loaded. */
  var quireFirst: { readonly id: string; readonly answer: Promise<Response> } | undefined;
}

/** Returns the first rows of a notebook as the server has them; undefined when it does not answer. */
export async function firstView(id: string): Promise<Batch | undefined> {
  try {
    const early = globalThis.quireFirst;
    globalThis.quireFirst = undefined;
    const answer = await (early?.id === id ? early.answer : fetch(`/api/notebooks/${encodeURIComponent(id)}/view?cells=${cells}`, { credentials: "same-origin" }));
    if (!answer.ok) return undefined;
    const batch: Batch = await answer.json();
    return batch;
  } catch {
    return undefined;
  }
}
