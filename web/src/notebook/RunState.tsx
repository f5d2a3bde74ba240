import { Ban, Check, CircleStop, CircleX, Clock, LoaderCircle, MessageCircleQuestionMark, Unplug } from "lucide-react";
import { assertNever } from "../core/assert.js";
import { useInputs, useQueue } from "../core/hooks.js";
import type { Run } from "../core/view.js";
import { duration, ordinal } from "./duration.js";
import { endingOf } from "./ending.js";
import { runText } from "./label.js";
import styles from "./RunState.module.css";
import { useElapsed } from "./useElapsed.js";

/** How far a cell's latest run is, or how it ended and how long it took. */
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
    <span className={styles.state} data-kind="wait" title={place > 0 ? `${ordinal(place)} of those that wait or run` : "Waits to run"}>
      <Clock aria-hidden />
      {place > 0 ? ordinal(place) : "waits"}
    </span>
  );
}

function Running({ run }: { readonly run: Run }) {
  const elapsed = useElapsed(run.started);
  const asks = useInputs(run.id).length > 0;
  if (asks && !run.cancelled) return <Asking />;
  return (
    <span className={styles.state} data-kind="busy" title={run.cancelled ? "Is stopping" : "Is running"}>
      <LoaderCircle className={styles.spin} aria-hidden />
      {run.cancelled ? "stopping" : elapsed === undefined ? "…" : duration(elapsed)}
    </span>
  );
}

function Asking() {
  return (
    <span className={styles.state} data-kind="busy" title="Waits for an answer">
      <MessageCircleQuestionMark aria-hidden />
      asks
    </span>
  );
}

function Ended({ run }: { readonly run: Run }) {
  const ending = endingOf(run)?.kind;
  const kind = ending ?? (run.status === "error" ? "error" : "ok");
  return (
    <span className={styles.state} data-kind={kind} onPointerEnter={(event) => (event.currentTarget.title = titleOf(run))}>
      {icons[kind]}
      {ending ?? (run.took === undefined ? "" : duration(run.took))}
    </span>
  );
}

/** Says more of a run that ended. It is asked for when somebody points there: to write a date takes long, and a page may have many. */
function titleOf(run: Run): string {
  return `${runText(run)}${run.finished ? `, ${new Date(run.finished).toLocaleString()}` : ""}`;
}

const icons = { ok: <Check aria-hidden />, error: <CircleX aria-hidden />, stopped: <CircleStop aria-hidden />, "not run": <Ban aria-hidden />, lost: <Unplug aria-hidden /> } as const;
