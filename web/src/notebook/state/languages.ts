import type { Store } from "../../core/store.js";

/** Returns the languages whose variables a notebook may have: its own first, then those of its code cells. */
export function languagesOf(store: Store): readonly string[] {
  const notebook = store.notebook();
  const own = notebook?.language || "python";
  const others = (notebook?.cells ?? []).flatMap((id) => {
    const cell = store.cell(id);
    return cell?.kind === "code" && cell.language ? [cell.language] : [];
  });
  return [...new Set([own, ...others])];
}
