import { useRef } from "react";
import type { CellID, OutputID } from "../core/event.js";
import { useCell, useClient } from "../core/hooks.js";
import type { Store } from "../core/store.js";
import { classes } from "../ui/classes.js";
import styles from "./Outputs.module.css";
import { OutputView } from "./OutputView.js";
import { useHeld } from "./useHeld.js";

const none: readonly OutputID[] = [];

/** The outputs of a cell. Those of an earlier run are dim until the run that goes on has its own. */
export function Outputs({ cell }: { readonly cell: CellID }) {
  const { store } = useClient();
  const row = useCell(cell);
  const ids = row?.outputs ?? none;
  const element = useRef<HTMLDivElement>(null);
  useHeld(element, ids, row?.run);
  return (
    <div ref={element} className={classes(styles.outputs, row?.stale && styles.stale)} aria-busy={row?.stale || undefined}>
      {ids.map((id, i) => (
        <OutputView key={id} id={id} joined={goesOn(store, ids[i - 1], id)} />
      ))}
    </div>
  );
}

/** Reports whether an output is of the same stream as the one above it; neither ever becomes another. */
function goesOn(store: Store, above: OutputID | undefined, id: OutputID): boolean {
  const first = above === undefined ? undefined : store.output(above)?.value;
  const second = store.output(id)?.value;
  return first?.kind === "stream" && second?.kind === "stream" && first.stream === second.stream;
}
