import { useMemo, useState } from "react";
import type { Error as Failure } from "../../core/event.js";
import { Fold } from "../../ui/Fold.js";
import { parseLine, plainStyle, type Span, withoutSequences } from "../log/ansi.js";
import { AnsiText } from "../log/AnsiText.js";
import { foldTrace, type TracePart } from "./trace.js";
import styles from "./Trace.module.css";

/** The stack trace, with the frames of libraries folded. */
export function Trace({ error }: { readonly error: Failure }) {
  const parts = useMemo(() => foldTrace(shownTrace(error)), [error]);
  if (parts.length === 0) return null;
  return (
    <div className={styles.trace}>{parts.map((part, i) => (part.folded ? <FoldedLines key={i} part={part} /> : <Lines key={i} lines={part.lines} />))}</div>
  );
}

function FoldedLines({ part }: { readonly part: TracePart }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Fold open={open} onTurn={() => setOpen(!open)}>
        {labelOf(part)}
      </Fold>
      {open && <Lines lines={part.lines} />}
    </>
  );
}

function labelOf({ frames, library }: TracePart): string {
  return `${frames.toLocaleString("en")} ${library ? "library " : ""}${frames === 1 ? "frame" : "frames"}`;
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  const shown = useMemo(() => styled(lines), [lines]);
  return (
    <pre className={styles.lines}>
      {shown.map((spans, i) => (
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

/** Leaves out the line of a trace that repeats the heading. */
function shownTrace({ name, message, trace = [] }: Failure): readonly string[] {
  const lines = trace.flatMap((line) => line.split("\n"));
  const said = message.split("\n");
  if (message !== "" && said.every((line, i) => withoutSequences(lines[i] ?? "").trim() === line.trim())) lines.splice(0, said.length);
  const head = message === "" ? [name] : `${name}: ${message}`.split("\n");
  const end = lines.slice(-head.length).map((line) => withoutSequences(line).trim());
  const same = head.every((line, i) => end[i] === line.trim() || (i === 0 && end[i]?.endsWith(`.${line.trim()}`)));
  return same ? lines.slice(0, -head.length) : end.at(-1) === name ? lines.slice(0, -1) : lines;
}
