import type { StopReason } from "../../core/event.js";
import type { Runtime } from "../../core/view.js";
import { assertNever } from "../../lib/assert.js";

/** Health is the state of the runtime, in words and for the colour of its mark. */
export interface Health {
  readonly kind: "none" | "starting" | "ready" | "busy" | "stopped" | "away";
  readonly text: string;
  readonly detail: string;
}

/**
 * Returns the state of the runtime; queued is the number of unfinished runs, away whether the server is unreachable. The log's
 * state holds only for a reachable runtime.
 */
export function health(runtime: Runtime | undefined, queued: number, away = false): Health {
  const who = `${runtime?.name || "The runtime"}${broughtBy(runtime)}`;
  if (away && runtime) return serverAway;
  if (!runtime) return queued > 0 ? starting : { kind: "none", text: "Not started", detail: "It starts by itself when you run a cell." };
  switch (runtime.state) {
    case "starting":
      return starting;
    case "ready":
      if (runtime.away) return runtimeAway;
      if (queued > 0) return { kind: "busy", text: "Busy", detail: `${who} is running code.` };
      return { kind: "ready", text: "Ready", detail: `${who} is ready.` };
    case "stopped":
      return queued > 0 ? starting : { kind: "stopped", text: stopText(runtime.reason), detail: stopDetail(runtime) };
    default:
      return assertNever(runtime.state);
  }
}

/** Names the user who connected a runtime that the server has not started: that user's machine gets the code and the input typed for it. */
function broughtBy(runtime: Runtime | undefined): string {
  if (!runtime?.brought) return "";
  return `, brought by ${runtime.brought.slice(runtime.brought.indexOf(":") + 1)},`;
}

const serverAway: Health = { kind: "away", text: "Unreachable", detail: "The server does not answer. A program that runs goes on, and what you run waits." };

const runtimeAway: Health = {
  kind: "away",
  text: "Unreachable",
  detail:
    "The runtime has lost its connection to the server. If it comes back soon nothing is lost, and what you run waits for it; if not, the next run starts another.",
};

const starting: Health = { kind: "starting", text: "Starting…", detail: "The runtime is being started." };

const startsAgain = "It starts again by itself when you run a cell.";

/** Returns the words for a stop. The detail in the log is shown only where it has facts that the cause lacks. */
function stopDetail({ cause, detail }: Runtime): string {
  switch (cause) {
    case "idle":
      return `It was not used for a long time. ${startsAgain}`;
    case "lease":
      return `Its connection to the server was lost for too long. ${startsAgain}`;
    case "shutdown":
    case "restart":
      return startsAgain;
    default:
      return detail || startsAgain;
  }
}

function stopText(reason: StopReason | undefined): string {
  switch (reason) {
    case "idle":
      return "Stopped: idle";
    case "failed":
      return "Stopped: failed";
    case "lease":
      return "Runtime lost";
    case "restart":
      return "Restarting…";
    case "shutdown":
    case undefined:
      return "Stopped";
    default:
      return assertNever(reason);
  }
}
