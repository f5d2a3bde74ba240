import { useState } from "react";
import type { RunID } from "../../core/event.js";
import { useApproval, useApprovals, usePeers, useRun } from "../../core/hooks.js";
import { shownName } from "../../core/people.js";
import type { Approval, Peer } from "../../core/view.js";
import type { Fields } from "../../lib/parse.js";
import { Fold } from "../../ui/Fold.js";
import styles from "./CallView.module.css";
import { DiffView } from "./DiffView.js";
import { argumentsOf, editOf } from "./arguments.js";

interface Props {
  readonly run: RunID | undefined;
  readonly call: Fields;
  readonly result: Fields | undefined;
}

type State = "running" | "waiting" | "done" | "failed" | "denied" | "stopped";

const words: Readonly<Record<Exclude<State, "denied">, string>> = {
  running: "Running",
  waiting: "Waits for approval",
  done: "Done",
  failed: "Failed",
  stopped: "Not carried out",
};

/** A tool call with its result. */
export function CallView({ run, call, result }: Props) {
  const [open, setOpen] = useState<"arguments" | "result">();
  const peers = usePeers();
  const asked = useApproval(result?.stringIfAny("approval"));
  const state = useCallState(run, result, asked);
  const tool = call.stringIfAny("tool") ?? "tool";
  const shown = argumentsOf(call.any("arguments"));
  const edit = editOf(call.any("arguments"));
  const text = result?.stringIfAny("text") ?? "";
  const turn = (part: "arguments" | "result") => setOpen(open === part ? undefined : part);
  return (
    <section className={styles.call} data-state={state} aria-label={`Tool ${tool}`}>
      <header className={styles.head}>
        <code className={styles.tool}>{tool}</code>
        {state !== "denied" && <span className={styles.state}>{words[state]}</span>}
        {asked?.answer !== undefined && <span className={styles.by}>{answerText(asked, peers)}</span>}
      </header>
      {edit !== undefined && state !== "waiting" && <DiffView diff={edit} />}
      <div className={styles.folds}>
        {shown !== "" && (
          <Fold open={open === "arguments"} onTurn={() => turn("arguments")}>
            Arguments
          </Fold>
        )}
        {result && text !== "" && (
          <Fold open={open === "result"} onTurn={() => turn("result")}>
            Result
          </Fold>
        )}
      </div>
      {open !== undefined && <pre className={styles.text}>{open === "arguments" ? shown : text}</pre>}
    </section>
  );
}

/** Returns the state of a call. Calls are made one after another, so an open question is about the one without a result. */
function useCallState(of: RunID | undefined, result: Fields | undefined, asked: Approval | undefined): State {
  const run = useRun(of);
  const last = useApprovals(of).at(-1);
  if (asked?.answer === "denied") return "denied";
  if (result) return result.booleanIfAny("failed") ? "failed" : "done";
  if (run?.state !== "started") return "stopped";
  return last && last.answer === undefined ? "waiting" : "running";
}

/** Returns how a question was answered, in words. */
export function answerText({ answer, actor, reason }: Approval, peers: readonly Peer[]): string {
  const by = actor === undefined ? "" : ` by ${shownName(actor, peers)}`;
  if (answer === "denied") return `Denied${by}${reason === undefined || reason === "" ? "" : `: ${reason}`}`;
  return `${answer === "always" ? "Always allowed" : "Allowed once"}${by}`;
}
