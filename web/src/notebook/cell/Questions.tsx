import { type RefObject, useState } from "react";
import type { CellID } from "../../core/event.js";
import { useInputs } from "../../core/hooks.js";
import type { Input, Run } from "../../core/view.js";
import { useMay } from "../state/role.js";
import { Question } from "./Question.js";

interface Props {
  readonly cell: CellID;
  readonly run: Run | undefined;
  readonly group: RefObject<HTMLElement | null>;
}

/** The question of a running program. A focused one stays until the focus leaves it, even if the program no longer asks. */
export function Questions({ cell, run, group }: Props) {
  const [open] = useInputs(run?.id ?? "");
  const asked = run?.state === "finished" ? undefined : open;
  const [entered, setEntered] = useState<Input>();
  const mayRun = useMay("run");
  const input = entered ?? asked;
  if (!input) return null;
  const over = input.id !== asked?.id;
  return (
    <Question
      key={input.id}
      cell={cell}
      input={input}
      over={over}
      group={group}
      readOnly={!mayRun}
      onEnter={() => setEntered(input)}
      onLeave={() => setEntered(undefined)}
    />
  );
}
