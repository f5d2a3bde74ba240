import { ArrowDownToLine } from "lucide-react";
import { useEffect, useMemo, useRef } from "react";
import type { Log } from "../../core/log.js";
import { classes } from "../../lib/classes.js";
import { Button } from "../../ui/Button.js";
import { useOverflow } from "../../ui/useOverflow.js";
import { LogLines } from "./LogLines.js";
import styles from "./LogView.module.css";
import { SearchBar } from "./SearchBar.js";
import { StyledLines } from "./styledLines.js";
import { useLogFind } from "./useSearch.js";
import { useTail } from "./useTail.js";
import { useVirtualLines } from "./useVirtualLines.js";

/** The number of lines beyond which only the visible ones are in the page. */
export const manyLines = 200;

export interface LogProps {
  readonly log: Log;
  /** Counts the changes of the log. */
  readonly revision: number;
  readonly label: string;
  /** The limit of its height, beyond which it scrolls. */
  readonly size: "capped" | "all" | "full";
  readonly tone?: "error" | undefined;
  /** The program still runs. */
  readonly live?: boolean | undefined;
  readonly searching: boolean;
  onSearchEnd(): void;
  /** Reports whether it has more than it shows. */
  onTall?: ((tall: boolean) => void) | undefined;
}

/** Text printed by a program, up to millions of lines. */
export function LogView({ log, revision, label, size, tone, live = false, searching, onSearchEnd, onTall }: LogProps) {
  const box = useRef<HTMLDivElement>(null);
  const lines = log.shown;
  const isLong = lines > manyLines;
  const styled = useMemo(() => new StyledLines(log), [log]);
  const find = useLogFind(log, revision, searching);
  const { window, lineHeight, onScroll, reveal } = useVirtualLines(box, lines, isLong, live);
  const tail = useTail(box, revision, window.height, live, onScroll);
  const tall = useOverflow(box, revision, onTall);
  const grew = useRef(revision).current !== revision;
  const { match } = find;

  useEffect(() => {
    if (match && isLong) reveal(match.line);
    else if (match) box.current?.children[match.line]?.scrollIntoView?.({ block: "nearest" });
    // Only another match is scrolled to: the log may grow meanwhile.
  }, [match?.line, match?.start]);

  return (
    <div className={classes(styles.log, tone && styles[tone])}>
      {searching && <SearchBar {...find} onClose={onSearchEnd} />}
      <div
        ref={box}
        className={classes(styles.box, isLong ? styles.long : styles.short, styles[size])}
        role="group"
        aria-label={label}
        tabIndex={tall ? 0 : undefined}
        onScroll={tail.onScroll}
      >
        {isLong ? (
          <div style={{ height: window.height }}>
            <div className={styles.lines} style={{ transform: `translateY(${window.top}px)`, lineHeight: `${lineHeight}px` }}>
              <LogLines styled={styled} revision={revision} start={window.start} end={window.end} matches={find.finding.matches} current={match} />
            </div>
          </div>
        ) : (
          <LogLines styled={styled} revision={revision} start={0} end={lines} matches={find.finding.matches} current={match} />
        )}
      </div>
      {tall && !tail.atEnd && (
        <Button className={classes(styles.follow, !grew && styles.quiet)} icon={<ArrowDownToLine />} onClick={tail.follow}>
          {grew ? "Follow" : "To the end"}
        </Button>
      )}
    </div>
  );
}
