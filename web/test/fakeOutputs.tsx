import type { CellID } from "../src/core/event.js";
import { useCell } from "../src/core/hooks.js";

/** Stands for the outputs in tests of what is around them. */
export function Outputs({ cell }: { readonly cell: CellID }) {
  return <p>{`${useCell(cell)?.outputs?.length ?? 0} outputs of ${cell}`}</p>;
}

/** Stands for what shows Markdown. */
export function Markdown({ source }: { readonly source: string }) {
  return <p>{`shown: ${source}`}</p>;
}
