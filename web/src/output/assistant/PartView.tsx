import { useState } from "react";
import type { Output, RunID } from "../../core/event.js";
import { useRun } from "../../core/hooks.js";
import { Fields } from "../../lib/parse.js";
import { Fold } from "../../ui/Fold.js";
import { CallView } from "./CallView.js";
import { partOf } from "./part.js";
import styles from "./PartView.module.css";

interface Props {
  readonly output: Output;
  readonly run: RunID | undefined;
  /** The result of a tool call. */
  readonly result: Output | undefined;
}

/** A part of an assistant's answer that is no text. */
export function PartView({ output, run, result }: Props) {
  const found = partOf(output);
  const fields = new Fields(found?.value);
  switch (found?.part) {
    case "thinking":
      return <Thinking text={fields.stringIfAny("text") ?? ""} />;
    case "call":
      return <CallView run={run} call={fields} result={result && new Fields(partOf(result)?.value)} />;
    case "result": // its call was left out
      return <CallView run={run} call={fields} result={fields} />;
    case "usage":
      return <Usage output={output} run={run} fields={fields} />;
    default:
      return null;
  }
}

/** The thinking of a model, folded. */
function Thinking({ text }: { readonly text: string }) {
  const [open, setOpen] = useState(false);
  return (
    <div className={styles.quiet}>
      <Fold open={open} onTurn={() => setOpen(!open)}>
        Thinking
      </Fold>
      {open && <p className={styles.thinking}>{text}</p>}
    </div>
  );
}

/** The cost of an answer. */
function Usage({ output, run: of, fields }: Omit<Props, "result"> & { readonly fields: Fields }) {
  const run = useRun(of);
  const model = new Fields(output.metadata?.["assistant"]).stringIfAny("model");
  const cached = fields.numberIfAny("cached") ?? 0;
  const turns = fields.numberIfAny("turns") ?? 0;
  const said = [
    model,
    `${count(fields, "input")} tokens in${cached > 0 ? ` (${cached.toLocaleString()} cached)` : ""}`,
    `${count(fields, "output")} out`,
    turns > 1 ? `${turns} requests` : undefined,
    run?.cancelled ? "stopped" : undefined,
  ];
  return <p className={styles.usage}>{said.filter((part) => part !== undefined && part !== "").join(" · ")}</p>;
}

function count(fields: Fields, name: string): string {
  return (fields.numberIfAny(name) ?? 0).toLocaleString();
}
