import { Fragment, type RefObject, useLayoutEffect, useRef, useState } from "react";
import type { CellID, OutputID, RunID } from "../core/event.js";
import { useCell, useClient } from "../core/hooks.js";
import type { Store } from "../core/store.js";
import { classes } from "../lib/classes.js";
import { Button } from "../ui/Button.js";
import { Cut } from "../ui/Cut.js";
import { onSize } from "../ui/onSize.js";
import { groupsOf } from "./joined.js";
import styles from "./Outputs.module.css";
import { OutputView } from "./OutputView.js";
import { useTypedIn } from "./useTypedIn.js";

const none: readonly OutputID[] = [];
const most = 200; // outputs of a cell that are shown at first

/**
 * The outputs of a cell. Those of an earlier run are dimmed until the present run has its own. One that the user types in stays
 * until the focus leaves it.
 */
export function Outputs({ cell }: { readonly cell: CellID }) {
  const { store } = useClient();
  const row = useCell(cell);
  const ids = row?.outputs ?? none;
  const element = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState(most);
  const typed = useTypedIn(cell);
  useHeld(element, ids, row?.run);
  const groups = withTyped(groupsOf(store, ids), typed);
  return (
    <div ref={element} className={classes(styles.outputs, row?.stale && styles.stale)} aria-busy={row?.stale || undefined}>
      {groups.slice(0, shown).map((group, i) => (
        <Fragment key={group[0]}>
          <LateLabel said={lateness(store, groups[i - 1]?.[0])} late={lateness(store, group[0])} />
          <OutputView ids={group.join(" ")} kept={group[0] === typed} />
        </Fragment>
      ))}
      {groups.length > shown && (
        <Cut why={`${(groups.length - shown).toLocaleString()} more outputs are not shown.`}>
          <Button onClick={() => setShown(shown + most)}>Show {Math.min(most, groups.length - shown)} more</Button>
        </Cut>
      )}
    </div>
  );
}

/**
 * Returns the groups with the output that the user types in, above the others if it was removed: its frame would reload if it
 * were moved.
 */
function withTyped(groups: readonly (readonly OutputID[])[], typed: OutputID | undefined): readonly (readonly OutputID[])[] {
  return typed === undefined || groups.some(([first]) => first === typed) ? groups : [[typed], ...groups];
}

/** The lateness of an output: during its run, after its end, or after a later run of the cell had begun. */
type Lateness = "in time" | "late" | "earlier";

function lateness(store: Store, id: OutputID | undefined): Lateness {
  const row = id === undefined ? undefined : store.output(id);
  return row?.earlier ? "earlier" : row?.late ? "late" : "in time";
}

const labels = { late: "After the run ended", earlier: "From an earlier run" };

/** The label above the first of several late outputs. */
function LateLabel({ said, late }: { readonly said: Lateness; readonly late: Lateness }) {
  return late === "in time" || late === said ? undefined : <p className={styles.late}>{labels[late]}</p>;
}

const hold = 1000; // milliseconds until a run's first outputs

/** Keeps the height of a cell for a moment when a run replaces its outputs, so the page does not jump while the new ones arrive. */
function useHeld(element: RefObject<HTMLElement | null>, ids: readonly OutputID[], run: RunID | undefined): void {
  const height = useRef(0);
  const before = useRef({ ids, run });

  useLayoutEffect(() => {
    const box = element.current;
    return box ? onSize([box], () => (height.current = box.offsetHeight)) : undefined;
  }, [element]);

  useLayoutEffect(() => {
    const box = element.current;
    const replaced = before.current.ids.some((id) => !ids.includes(id));
    if (box && replaced && before.current.run !== run) {
      box.style.minHeight = `${height.current}px`;
      setTimeout(() => (box.style.minHeight = ""), hold);
    }
    if (replaced || before.current.ids.length === 0) before.current = { ids, run };
    else before.current = { ids, run: before.current.run };
  }, [element, ids, run]);
}
