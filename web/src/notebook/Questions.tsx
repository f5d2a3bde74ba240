import type { RefObject } from "react";
import type { RunID } from "../core/event.js";
import { useInputs } from "../core/hooks.js";
import { Question } from "./Question.js";
import { useMay } from "./role.js";

/** The question that a running program waits with. */
export function Questions({ run, group }: { readonly run: RunID; readonly group: RefObject<HTMLElement | null> }) {
  const [input] = useInputs(run);
  const mayRun = useMay("run");
  if (!input) return null;
  return <Question key={input.id} input={input} group={group} readOnly={!mayRun} />;
}
