import type { Output } from "../core/event.js";
import { useClient, useRun } from "../core/hooks.js";
import type { OutputRow, Store } from "../core/store.js";
import { lazily, useLazily } from "../lib/lazily.js";
import { TallBox } from "../ui/TallBox.js";
import { partOf } from "./assistant/part.js";
import { DataView } from "./DataView.js";
import { ErrorView } from "./error/ErrorView.js";
import type { ShownRow } from "./joined.js";
import { Markdown } from "./markdown/Markdown.js";
import { StreamView } from "./StreamView.js";

interface Props {
  readonly row: ShownRow;
  readonly size: "capped" | "all" | "full";
  readonly searching: boolean;
  onSearchEnd(): void;
  onTall?: ((tall: boolean) => void) | undefined;
}

const assistant = lazily(() => import("./assistant/PartView.js"));

/** The content of an output. */
export function OutputBody({ row, ...props }: Props) {
  const { value, log } = row;
  const state = useRun(row.run)?.state;
  const stopped = useStopped(row);
  const label = stopped ? "Stopped" : labelOf(value);
  const isPart = partOf(value) !== undefined;
  const parts = useLazily(assistant, isPart);
  if (parts) return <parts.PartView output={value} run={row.run} result={row.result} />;
  switch (value.kind) {
    case "stream":
      return <StreamView {...props} row={row} label={label} tone={value.stream === "stderr" ? "error" : undefined} live={state === "started"} />;
    case "error":
      return (
        <TallBox size={props.size} label={label} onTall={props.onTall}>
          <ErrorView cell={row.cell} error={value.error ?? { name: "Error", message: "" }} stopped={stopped} />
        </TallBox>
      );
    case "markdown": // what an assistant says is read whole
      return <Markdown source={log?.text() ?? ""} />;
    default: // whatever a later version adds has data, or is shown as something that cannot be
      return <DataView {...props} id={row.id} output={value} label={label} />;
  }
}

/** Returns the accessible name of an output. */
function labelOf({ kind, stream, error }: Output): string {
  switch (kind) {
    case "stream":
      return stream === "stderr" ? "Error output" : "Printed output";
    case "error":
      return `Error: ${error?.name ?? "unknown"}`;
    case "markdown":
      return "Answer";
    case "result":
      return "Result";
    default:
      return "Display";
  }
}

const stopped = new WeakMap<Store, Set<string>>();

/**
 * Reports whether an output is only the interrupt of a run that was cancelled, or whose runtime was stopped. It stays so when a
 * newer run replaces the run. A program that raises the exception by itself has failed.
 */
function useStopped({ id, run: of, value }: OutputRow): boolean {
  const { store } = useClient();
  const run = useRun(of);
  if (!isInterrupt(value)) return false;
  const known = stopped.get(store) ?? new Set();
  stopped.set(store, known);
  if (run?.cancelled || run?.status === "cancelled" || run?.status === "lost") known.add(id);
  return known.has(id);
}

/** Reports whether an output is the error of an interrupted run. Older runtimes gave no cause, and all of them the name that it has in Python. */
function isInterrupt({ error }: Output): boolean {
  return error?.cause === "interrupted" || (error?.cause === undefined && error?.name === "KeyboardInterrupt");
}
