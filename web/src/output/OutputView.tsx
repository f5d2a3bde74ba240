import { memo, useDeferredValue, useRef, useState } from "react";
import type { OutputID } from "../core/event.js";
import { useOutput } from "../core/hooks.js";
import type { OutputRow } from "../core/store.js";
import { Button } from "../ui/Button.js";
import { classes } from "../ui/classes.js";
import { Boundary } from "./Boundary.js";
import { lazily, useLazily } from "./lazily.js";
import { manyLines } from "./LogView.js";
import { OutputBody } from "./OutputBody.js";
import { OutputTools } from "./OutputTools.js";
import styles from "./OutputView.module.css";
import { plainOf } from "./plainOf.js";
import { prefer } from "./prefer.js";

interface Props {
  readonly id: OutputID;
  /** It goes on where the output above it ends. */
  readonly joined: boolean;
}

const fullView = lazily(() => import("./FullView.js"));

/** One output, with what can be done with it. */
export const OutputView = memo(function OutputView({ id, joined }: Props) {
  const row = useOutput(id);
  const element = useRef<HTMLDivElement>(null);
  const [tall, setTall] = useState(false);
  const [all, setAll] = useState(false);
  const [searching, setSearching] = useState(false);
  const [full, setFull] = useState(false);
  const opened = useLazily(fullView, full);
  const hasTools = useDeferredValue(true, false); // they are seen by nobody at once, and the output is
  if (!row) return null;

  const canSearch = row.value.kind === "stream" || prefer(row.value.data)?.look === "text";
  const turn = () => {
    setAll(!all);
    if (all) element.current?.scrollIntoView?.({ block: "nearest" });
  };
  return (
    <div ref={element} className={classes(styles.output, joined && styles.joined)} data-output>
      <Boundary of={row.value} fallback={<Plain row={row} />}>
        <OutputBody row={row} size={all ? "all" : "capped"} searching={searching} onSearchEnd={() => setSearching(false)} onTall={setTall} />
        {opened && <opened.FullView row={row} canSearch={canSearch} onClose={() => setFull(false)} />}
      </Boundary>
      {(tall || all) && (
        <Button className={styles.turn} aria-expanded={all} onClick={turn}>
          {all ? "Show less" : isLong(row) ? "Show more" : "Show all"}
        </Button>
      )}
      {hasTools && <OutputTools row={row} onSearch={canSearch ? () => setSearching(true) : undefined} onOpen={row.value.kind === "error" ? undefined : () => setFull(true)} />}
    </div>
  );
});

/** Reports whether it is a log that is never shown whole. */
function isLong({ log, value }: OutputRow): boolean {
  return log !== undefined && value.kind === "stream" && log.shown > manyLines;
}

/** What is left of an output that cannot be shown. */
function Plain({ row }: { readonly row: OutputRow }) {
  return (
    <div className={styles.failed}>
      <p>This output could not be shown. As text it is:</p>
      <pre>{plainOf(row).slice(0, 100_000)}</pre>
    </div>
  );
}
