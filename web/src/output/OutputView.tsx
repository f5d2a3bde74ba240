import { memo, useDeferredValue, useRef, useState } from "react";
import type { OutputRow } from "../core/store.js";
import { lazily, useLazily } from "../lib/lazily.js";
import { Button } from "../ui/Button.js";
import { Boundary } from "./Boundary.js";
import { prefer } from "./bundle/prefer.js";
import { type ShownRow, useJoined } from "./joined.js";
import { manyLines } from "./log/LogView.js";
import { OutputBody } from "./OutputBody.js";
import { OutputTools } from "./OutputTools.js";
import styles from "./OutputView.module.css";
import { plainOf } from "./plainOf.js";

interface Props {
  /** The ids of the outputs that are shown as one, separated by spaces. */
  readonly ids: string;
  /** The user types in it: it stays as it is. */
  readonly kept?: boolean;
}

const fullView = lazily(() => import("./FullView.js"));

/** An output with its tools. */
export const OutputView = memo(function OutputView({ ids, kept = false }: Props) {
  const now = useJoined(ids.split(" "));
  const last = useRef(now);
  const row = kept ? keptOf(last.current, now) : now;
  last.current = row;
  const element = useRef<HTMLDivElement>(null);
  const [tall, setTall] = useState(false);
  const [all, setAll] = useState(false);
  const [searching, setSearching] = useState(false);
  const [full, setFull] = useState(false);
  const opened = useLazily(fullView, full);
  const hasTools = useDeferredValue(true, false); // they are not visible at once, and the output is
  if (!row) return null;

  const canSearch = row.value.kind === "stream" || prefer(row.value.data)?.look === "text";
  const turn = () => {
    setAll(!all);
    if (all) element.current?.scrollIntoView?.({ block: "nearest" });
  };
  return (
    <div ref={element} className={styles.output} data-output={row.id} data-of={row.cell}>
      <Boundary of={row.value} fallback={<Plain row={row} />}>
        <OutputBody row={row} size={all ? "all" : "capped"} searching={searching} onSearchEnd={() => setSearching(false)} onTall={setTall} />
        {opened && <opened.FullView row={row} canSearch={canSearch} onClose={() => setFull(false)} />}
      </Boundary>
      {(tall || all) && (
        <Button className={styles.turn} aria-expanded={all} onClick={turn}>
          {all ? "Show less" : isLong(row) ? "Show more" : "Show all"}
        </Button>
      )}
      {kept && !showsSame(row, now) && (
        <p className={styles.over} role="status">
          This output was cleared or replaced. It stays until you leave it.
        </p>
      )}
      {hasTools && (
        <OutputTools
          row={row}
          onSearch={canSearch ? () => setSearching(true) : undefined}
          onOpen={row.value.kind === "error" ? undefined : () => setFull(true)}
        />
      )}
    </div>
  );
});

/** Returns the row of an output that the user types in: the present one, or the last one if a change would reload its frame. */
function keptOf(last: ShownRow | undefined, now: ShownRow | undefined): ShownRow | undefined {
  return last && isFramed(last) ? last : (now ?? last);
}

function isFramed({ value }: ShownRow): boolean {
  const look = prefer(value.data)?.look;
  return look === "html" || look === "javascript" || look === "svg";
}

function showsSame(row: ShownRow, now: ShownRow | undefined): boolean {
  return row === now || (now !== undefined && JSON.stringify(prefer(row.value.data)) === JSON.stringify(prefer(now.value.data)));
}

/** Reports whether it is a log that is never shown as a whole. */
function isLong({ log, value }: OutputRow): boolean {
  return log !== undefined && value.kind === "stream" && log.shown > manyLines;
}

/** The plain text of an output that cannot be rendered. */
function Plain({ row }: { readonly row: OutputRow }) {
  return (
    <div className={styles.failed}>
      <p>This output could not be shown. As text it is:</p>
      <pre>{plainOf(row).slice(0, 100_000)}</pre>
    </div>
  );
}
