import type { Run } from "../../core/view.js";

/** Ending is the premature end of a run, in a word or two, with its reason. */
export interface Ending {
  readonly kind: "stopped" | "not run" | "ended" | "lost";
  /** The reason, if it is more than a user's request. */
  readonly why: string | undefined;
}

/** Shorter forms of reasons in the log. */
const shorter: Readonly<Record<string, string>> = {
  "an earlier run of the same request did not end well": "an earlier cell failed or was stopped",
  "the runtime stopped (shutdown)": "the runtime was shut down",
  "the runtime stopped (restart)": "the runtime was restarted",
  "the runtime stopped (idle)": "the runtime had ended because it was idle",
  "the runtime stopped (failed)": "the runtime failed",
  "the runtime stopped (lease)": "the runtime was away for too long",
};

/** Returns the premature end of a run, or undefined. A program that ended its own process also cancelled the rest of its batch. */
export function endingOf({ status, exited, reason, started }: Run): Ending | undefined {
  const why = reason ? (shorter[reason] ?? reason) : undefined;
  if (status === "lost") return { kind: "lost", why: why ?? "its runtime went away" };
  if (exited) return { kind: "ended", why };
  if (status === "skipped") return { kind: "not run", why: why ?? "the program ended before" };
  if (status !== "cancelled") return undefined;
  return started === undefined ? { kind: "not run", why: why ?? "it was cancelled before its turn" } : { kind: "stopped", why };
}
