import type { Run } from "../../core/view.js";

/** How a run came to nothing, or to less than it should have, in a word or two and in a sentence's second part. */
export interface Ending {
  readonly kind: "stopped" | "not run" | "ended" | "lost";
  /** Why, if more can be said than that somebody wanted it. */
  readonly why: string | undefined;
}

/** What the log says, in fewer words. */
const shorter: Readonly<Record<string, string>> = {
  "an earlier run of the same request did not end well": "an earlier cell failed or was stopped",
  "the runtime stopped (shutdown)": "the runtime was shut down",
  "the runtime stopped (restart)": "the runtime was restarted",
  "the runtime stopped (idle)": "the runtime had ended, for nobody used it",
  "the runtime stopped (failed)": "the runtime failed",
  "the runtime stopped (lease)": "the runtime was away for too long",
};

/** Returns how a run ended before its time, or undefined if it did not. A program that ended itself took the rest of its batch with it. */
export function endingOf({ status, exited, reason, started }: Run): Ending | undefined {
  const why = reason ? (shorter[reason] ?? reason) : undefined;
  if (status === "lost") return { kind: "lost", why: why ?? "its runtime went away" };
  if (exited) return { kind: "ended", why };
  if (status === "skipped") return { kind: "not run", why: why ?? "the program ended before" };
  if (status !== "cancelled") return undefined;
  return started === undefined ? { kind: "not run", why: why ?? "it was cancelled before its turn" } : { kind: "stopped", why };
}
