import type { CellID } from "../../core/event.js";
import { may } from "../../core/may.js";
import { attempt } from "./attempt.js";
import type { Page } from "./page.js";

/**
 * Announces deleted cells, and offers to restore them to users who may edit. The offer is withdrawn once all are restored by
 * other means; cells that are already back stay as they are.
 */
export function offerBack(page: Page, cells: readonly CellID[], text: string, label = "Undo"): void {
  const { client, ui, note } = page;
  const gone = (): readonly CellID[] => {
    const there = new Set(client.store.notebook()?.cells);
    return cells.filter((id) => !there.has(id));
  };
  const back = async (): Promise<void> => {
    const missing = gone();
    if (missing.length === 0) return;
    await client.command({ kind: "restoreCells", cells: missing });
    ui.select(missing);
  };
  if (!may(client.store.status()?.role, "edit")) return void note({ text });
  const action = { label, onSelect: () => void attempt(page, back) };
  const stop = client.store.listen("notebook", () => gone().length === 0 && withdraw());
  const withdraw = note({ text, action, onGone: stop });
}
