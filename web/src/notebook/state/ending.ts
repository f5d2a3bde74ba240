import type { Cause } from "../../core/event.js";
import type { Run } from "../../core/view.js";

/** Ending is the premature end of a run, in a word or two, with its reason. */
export interface Ending {
  readonly kind: "stopped" | "not run" | "ended" | "lost";
  /** The reason, if it is more than a user's request. */
  readonly why: string | undefined;
}

/** Words of a cause. With facts, the reason in the log has facts that the cause lacks, and the words stand in for a missing reason. */
interface Words {
  readonly text: string;
  readonly facts?: true;
}

const words: Readonly<Record<Cause, Words>> = {
  "not-started": { text: "the engine could not be started", facts: true },
  killed: { text: "the program did not stop when it was asked to, so it was killed; its variables are lost", facts: true },
  "timed-out": { text: "it took longer than it may", facts: true },
  "output-limit": { text: "its output exceeded a limit", facts: true },
  "not-stored": { text: "an output could not be stored", facts: true },
  "engine-died": { text: "the engine died", facts: true },
  exited: { text: "the program ended itself", facts: true },
  "exited-gone": { text: "the program ended itself, and its variables are lost", facts: true },
  "earlier-failed": { text: "an earlier cell failed or was stopped" },
  "earlier-exited": { text: "the program ended at an earlier cell", facts: true },
  displaced: { text: "another runtime took its place" },
  shutdown: { text: "the runtime was shut down" },
  restart: { text: "the runtime was restarted" },
  idle: { text: "the runtime had ended because it was idle" },
  failed: { text: "the runtime failed", facts: true },
  lease: { text: "the runtime was away for too long" },
  died: { text: "the runtime's process has ended", facts: true },
};

/**
 * Returns the words for an end, or undefined if its status says it all. The reason of an end without a cause, or with one that is
 * newer than this page, is shown as it was written.
 */
export function whyEnded(cause: Cause | undefined, reason: string | undefined): string | undefined {
  const known = cause !== undefined && Object.hasOwn(words, cause) ? words[cause] : undefined;
  if (known === undefined || known.facts) return reason || known?.text;
  return known.text;
}

/** Returns the premature end of a run, or undefined. A program that ended its own process also cancelled the rest of its batch. */
export function endingOf({ status, exited, cause, reason, started }: Run): Ending | undefined {
  const why = whyEnded(cause, reason);
  if (status === "lost") return { kind: "lost", why: why ?? "its runtime went away" };
  if (exited) return { kind: "ended", why };
  if (status === "skipped") return { kind: "not run", why: why ?? "the program ended before" };
  if (status !== "cancelled") return undefined;
  return started === undefined ? { kind: "not run", why: why ?? "it was cancelled before its turn" } : { kind: "stopped", why };
}
