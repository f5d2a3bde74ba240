import { ChevronRight } from "lucide-react";
import { useContext, useMemo, useState } from "react";
import type { CellID, Error as Failure } from "../core/event.js";
import { AnsiText } from "./AnsiText.js";
import { parseLine, plainStyle, type Span, withoutSequences } from "./ansi.js";
import styles from "./ErrorView.module.css";
import { JumpContext } from "./jump.js";
import { foldTrace } from "./trace.js";

interface Props {
  readonly cell: CellID;
  readonly error: Failure;
}

/** What ended a run: what it says, where it happened, and how the program got there. */
export function ErrorView({ cell, error }: Props) {
  return (
    <div className={styles.error} role="group" aria-label={`Error: ${error.name}`}>
      <p className={styles.head}>
        <strong className={styles.name}>{error.name}</strong>
        {error.message !== "" && <span className={styles.message}>: {error.message}</span>}
        <Place cell={cell} line={error.line ?? 0} column={error.column ?? 0} />
      </p>
      <Trace error={error} />
    </div>
  );
}

function Place({ cell, line, column }: { readonly cell: CellID; readonly line: number; readonly column: number }) {
  const jump = useContext(JumpContext);
  if (line < 1) return null;
  const text = column > 0 ? `line ${line}, column ${column}` : `line ${line}`;
  if (!jump) return <span className={styles.place}>{text}</span>;
  return (
    <button type="button" className={styles.place} onClick={() => jump({ cell, line })}>
      {text}
    </button>
  );
}

function Trace({ error }: { readonly error: Failure }) {
  const [open, setOpen] = useState(false);
  const trace = useMemo(() => shownTrace(error), [error]);
  const parts = useMemo(() => (open ? [{ folded: false, frames: 0, lines: trace }] : foldTrace(trace)), [trace, open]);
  const some = useMemo(() => foldTrace(trace).some((part) => part.folded), [trace]);
  if (trace.length === 0) return null;
  return (
    <div className={styles.trace}>
      {parts.map((part, i) =>
        part.folded ? (
          <button key={i} type="button" className={styles.fold} aria-expanded={false} onClick={() => setOpen(true)}>
            <ChevronRight size={14} aria-hidden />
            {part.frames === 1 ? "1 frame" : `${part.frames} frames`}
          </button>
        ) : (
          <Lines key={i} lines={part.lines} />
        ),
      )}
      {open && some && (
        <button type="button" className={styles.fold} aria-expanded onClick={() => setOpen(false)}>
          <ChevronRight size={14} aria-hidden className={styles.down} />
          Fold the frames
        </button>
      )}
    </div>
  );
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  return (
    <pre className={styles.lines}>
      {styled(lines).map((spans, i) => (
        <span key={i}>
          <AnsiText spans={spans} />
          {"\n"}
        </span>
      ))}
    </pre>
  );
}

function styled(lines: readonly string[]): readonly (readonly Span[])[] {
  let style = plainStyle;
  return lines.map((line) => {
    const parsed = parseLine(line, style);
    style = parsed.style;
    return parsed.spans;
  });
}

/** A trace ends in what the head says; that is not said twice. */
function shownTrace({ name, message, trace = [] }: Failure): readonly string[] {
  const lines = trace.flatMap((line) => line.split("\n"));
  const last = withoutSequences(lines.at(-1) ?? "").trim();
  return last === `${name}: ${message}` || last === name ? lines.slice(0, -1) : lines;
}
