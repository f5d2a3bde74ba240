import { Ban, Check, CircleStop, CircleX, Clock, LoaderCircle, MessageCircleQuestionMark, Unplug } from "lucide-react";
import { useEffect, useState } from "react";
import type { Time } from "../../core/event.js";
import { useInputs, useQueue, useRuntime } from "../../core/hooks.js";
import type { Run } from "../../core/view.js";
import { assertNever } from "../../lib/assert.js";
import { duration, ordinal, tookOf } from "../state/duration.js";
import { endingOf } from "../state/ending.js";
import { isPast, runText } from "../state/label.js";
import styles from "./RunState.module.css";

/** The progress of a cell's latest run, or its end and duration. */
export function RunState({ run }: { readonly run: Run }) {
  switch (run.state) {
    case "pending":
      return <Waiting run={run} />;
    case "assigned":
    case "started":
      return <Running run={run} />;
    case "finished":
      return <Ended run={run} />;
    default:
      return assertNever(run.state);
  }
}

function Waiting({ run }: { readonly run: Run }) {
  const place = useQueue().indexOf(run.id) + 1;
  return (
    <span className={styles.state} data-kind="wait" title={place > 0 ? `Queued, ${ordinal(place)} to run` : "Queued"}>
      <Clock aria-hidden />
      {place > 0 ? `queued (${ordinal(place)})` : "queued"}
    </span>
  );
}

function Running({ run }: { readonly run: Run }) {
  const elapsed = useElapsed(run.started);
  const asks = useInputs(run.id).length > 0;
  if (asks && !run.cancelled) return <Asking />;
  return (
    <span className={styles.state} data-kind="busy" title={run.cancelled ? "Stopping" : "Running"}>
      <LoaderCircle className={styles.spin} aria-hidden />
      {run.cancelled ? "stopping" : elapsed === undefined ? "…" : duration(elapsed)}
    </span>
  );
}

function Asking() {
  return (
    <span className={styles.state} data-kind="busy" title="Waiting for input">
      <MessageCircleQuestionMark aria-hidden />
      waiting for input
    </span>
  );
}

function Ended({ run }: { readonly run: Run }) {
  const ending = endingOf(run)?.kind;
  const took = tookOf(run);
  const kind = ending ?? (run.status === "error" ? "error" : "ok");
  const past = isPast(run, useRuntime(run.takes));
  return (
    <span className={styles.state} data-kind={kind} data-past={past || undefined} onPointerEnter={(event) => (event.currentTarget.title = titleOf(run, past))}>
      {icons[kind]}
      {ending === "lost" ? "runtime lost" : (ending ?? (took === undefined ? "" : duration(took)))}
    </span>
  );
}

/** Returns the details of a finished run. They are computed under the pointer: formatting a date is slow, and a page may have many. */
function titleOf(run: Run, past: boolean): string {
  return `${runText(run, past)}${run.finished ? `, ${new Date(run.finished).toLocaleString()}` : ""}`;
}

const icons = {
  ok: <Check aria-hidden />,
  error: <CircleX aria-hidden />,
  stopped: <CircleStop aria-hidden />,
  "not run": <Ban aria-hidden />,
  ended: <Check aria-hidden />,
  lost: <Unplug aria-hidden />,
} as const;

/** Returns the milliseconds since a moment, updated each second, and ten times a second at first. */
function useElapsed(since: Time | undefined): number | undefined {
  const [now, setNow] = useState(() => Date.now());
  const elapsed = since === undefined ? undefined : Math.max(0, now - since);
  const pause = elapsed !== undefined && elapsed < 10_000 ? 100 : 1000;
  useEffect(() => {
    if (since === undefined) return undefined;
    const timer = setInterval(() => setNow(Date.now()), pause);
    return () => clearInterval(timer);
  }, [since, pause]);
  return elapsed;
}
