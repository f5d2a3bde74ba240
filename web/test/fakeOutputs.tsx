import type { CellID } from "../src/core/event.js";
import { useCell } from "../src/core/hooks.js";

/** Replaces the outputs in tests of their surroundings. */
export function Outputs({ cell }: { readonly cell: CellID }) {
  return <p>{`${useCell(cell)?.outputs?.length ?? 0} outputs of ${cell}`}</p>;
}

/** Replaces rendered Markdown. */
export function Markdown({ source }: { readonly source: string }) {
  return <p>{`shown: ${source}`}</p>;
}
