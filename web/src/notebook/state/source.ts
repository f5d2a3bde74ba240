import type { Client } from "../../core/client.js";
import type { CellID, Edit } from "../../core/event.js";
import { Store } from "../../core/store.js";

/** How often an edit that others came before is made anew. */
const tries = 20;

/**
 * Makes an edit of a cell's source that no editor makes. What to edit is asked again for each
 * version that turns out not to be the latest; undefined is nothing.
 */
export async function editSource(client: Client, cell: CellID, by: string, edit: (source: string) => Edit | undefined): Promise<boolean> {
  for (let i = 0; i < tries; i++) {
    const text = client.store.text(cell);
    const change = text && edit(text.source);
    if (!text || !change) return false;
    const newer = newerThan(client, cell, text.version);
    if (await client.push({ cell, version: text.version, by, edits: [change] })) {
      newer.stop();
      return true;
    }
    await newer.come;
  }
  throw new Error("the cell is being edited too fast for this change: try again");
}

/** Waits for a version of a text that is newer, which the core has said is on its way. */
function newerThan(client: Client, cell: CellID, version: number): { readonly come: Promise<void>; stop(): void } {
  const { store } = client;
  let stop = (): void => {};
  const come = new Promise<void>((resolve) => {
    const look = (): void => {
      if (store.text(cell)?.version === version) return;
      stop();
      resolve();
    };
    stop = store.listen(Store.textKey(cell), look);
  });
  return { come, stop };
}

/** Returns the edit that replaces what is between two places. */
export function replacing(from: number, to: number, text: string): Edit {
  return [...(from > 0 ? [from] : []), ...(to > from ? [from - to] : []), ...(text === "" ? [] : [text])];
}
