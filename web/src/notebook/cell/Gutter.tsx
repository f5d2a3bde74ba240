import { Play, Square } from "lucide-react";
import type { CellRow } from "../../core/store.js";
import type { Run } from "../../core/view.js";
import { IconButton } from "../../ui/IconButton.js";
import { attempt } from "../state/attempt.js";
import { shortcut } from "../state/keymap.js";
import { countText, unfinished } from "../state/label.js";
import { usePage } from "../state/page.js";
import { useMay } from "../state/role.js";
import { run as runCells, runnable } from "../state/runs.js";
import styles from "./Gutter.module.css";
import { Handle } from "./Handle.js";
import { RunState } from "./RunState.js";

interface Props {
  readonly cell: CellRow;
  readonly run: Run | undefined;
  /** The run is of an earlier runtime. */
  readonly past: boolean;
  readonly place: number;
  /** The pointer or the focus is here, so rarely used tools are shown. */
  readonly near: boolean;
}

/** The cell's state, always visible, and the buttons to run, stop and move it. */
export function Gutter({ cell, run, past, place, near }: Props) {
  const page = usePage();
  const mayRun = useMay("run");
  const mayEdit = useMay("edit");
  const code = runnable(cell.kind);
  const busy = unfinished(run);
  const start = (): void => void attempt(page, () => runCells(page, [cell.id]));
  const stop = (): void => void attempt(page, async () => void (await page.client.command({ kind: "cancelRuns", cells: [cell.id] })));
  return (
    <div className={styles.gutter}>
      {near && mayEdit && <Handle id={cell.id} place={place} />}
      {code && (
        <>
          <span className={styles.count} data-past={past || undefined} title={past ? "Of an earlier runtime: what it defined is gone" : undefined} aria-hidden>
            {countText(cell, run)}
          </span>
          {mayRun && (
            <IconButton
              tipAbove
              className={styles.run}
              data-state={busy ? "busy" : near ? "near" : undefined}
              label={busy ? "Stop" : "Run cell"}
              icon={busy ? <Square /> : <Play />}
              shortcut={busy ? undefined : shortcut("runHere", page.mac)}
              onClick={busy ? stop : start}
              tabIndex={near ? 0 : -1}
            />
          )}
          {run && <RunState run={run} />}
        </>
      )}
    </div>
  );
}
