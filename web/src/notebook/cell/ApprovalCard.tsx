import { type FormEvent, useEffect, useState } from "react";
import type { Answer, ToolClass } from "../../core/event.js";
import { usePeers } from "../../core/hooks.js";
import type { Approval } from "../../core/view.js";
import { argumentsOf } from "../../output/assistant/arguments.js";
import { answerText } from "../../output/assistant/CallView.js";
import { DiffView } from "../../output/assistant/DiffView.js";
import { Button } from "../../ui/Button.js";
import { TextField } from "../../ui/TextField.js";
import { attempt } from "../state/attempt.js";
import { usePage } from "../state/page.js";
import { useMay } from "../state/role.js";
import styles from "./ApprovalCard.module.css";

const effects: Readonly<Record<ToolClass, string>> = {
  reads: "It reads the notebook.",
  edits: "It changes cells.",
  runs: "It runs code.",
  outside: "It acts outside the notebook.",
};

/** Asks whether an assistant may call a tool. The focus stays where it is, so that no key that was meant for something else allows it. */
export function ApprovalCard({ asked }: { readonly asked: Approval }) {
  const page = usePage();
  const peers = usePeers();
  const may = useMay("approve");
  const [reason, setReason] = useState("");
  const [sending, setSending] = useState(false);
  const { id, tool, diff = "", answer } = asked;
  const shown = argumentsOf(asked.arguments);
  useEffect(() => page.ui.say(`The assistant asks whether it may call ${tool}`), [page, tool]);

  const say = (given: Answer): void => {
    setSending(true);
    const why = given === "denied" && reason.trim() !== "" ? { reason: reason.trim() } : {};
    void attempt(page, async () => void (await page.client.command({ kind: "answerApproval", approval: id, answer: given, ...why }))).then(() =>
      setSending(false),
    );
  };
  const deny = (event: FormEvent): void => {
    event.preventDefault();
    say("denied");
  };
  if (answer !== undefined) {
    return (
      <p className={styles.answered} role="status">
        {tool}: {answerText(asked, peers)}
      </p>
    );
  }
  return (
    <section className={styles.card} aria-label={`Approval of ${tool}`}>
      <p className={styles.title}>
        The assistant asks to call <code>{tool}</code>. <span className={styles.effect}>{effects[asked.class]}</span>
      </p>
      {diff !== "" && <DiffView diff={diff} />}
      {shown !== "" && (
        <details open={diff === ""}>
          <summary>Arguments</summary>
          <pre className={styles.arguments}>{shown}</pre>
        </details>
      )}
      {may ? (
        <form className={styles.answers} onSubmit={deny}>
          <Button kind="primary" disabled={sending} onClick={() => say("once")}>
            Allow once
          </Button>
          <Button disabled={sending} onClick={() => say("always")}>
            Always allow {tool} in this notebook
          </Button>
          <TextField
            className={styles.reason}
            label="Reason of a denial, optional"
            labelHidden
            placeholder="Reason, optional"
            maxLength={1000}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
          <Button type="submit" kind="danger" disabled={sending}>
            Deny
          </Button>
        </form>
      ) : (
        <p className={styles.effect}>It waits for a person who may approve it.</p>
      )}
      <Until asked={asked} />
    </section>
  );
}

/** Says until when the assistant waits. */
function Until({ asked: { asked, wait } }: { readonly asked: Approval }) {
  if (!asked || !wait) return null;
  const end = new Date(asked + wait).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return <p className={styles.until}>Without an answer until {end} it is not done.</p>;
}
