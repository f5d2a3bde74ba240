import type { Client } from "../../core/client.js";
import type { CellID, Edit } from "../../core/event.js";
import { Store } from "../../core/store.js";

/** The most attempts of an edit that other edits overtake. */
const tries = 20;

/**
 * Edits a cell's source without an editor. The callback computes the edit again for each version that turns out not to be the
 * latest; undefined means no edit.
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

/** Waits for a newer version of a text, which the core has announced. */
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

/** Returns the edit that replaces a range. */
export function replacing(from: number, to: number, text: string): Edit {
  return [...(from > 0 ? [from] : []), ...(to > from ? [from - to] : []), ...(text === "" ? [] : [text])];
}
