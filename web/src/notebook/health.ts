import { assertNever } from "../core/assert.js";
import type { StopReason } from "../core/event.js";
import type { Runtime } from "../core/view.js";

/** Health is how the runtime is, in words and for the colour of its mark. */
export interface Health {
  readonly kind: "none" | "starting" | "ready" | "busy" | "stopped" | "away";
  readonly text: string;
  readonly detail: string;
}

/** Returns how the runtime is; queued is how many runs wait or go on, and away that the server does not answer. */
export function health(runtime: Runtime | undefined, queued: number, away = false): Health {
  const who = runtime?.name || "The runtime";
  if (away && runtime) return unknown;
  if (!runtime) return queued > 0 ? starting : { kind: "none", text: "Not started", detail: "It starts by itself when you run a cell." };
  switch (runtime.state) {
    case "starting":
      return starting;
    case "ready":
      if (queued > 0) return { kind: "busy", text: "Busy", detail: `${who} is running code.` };
      return { kind: "ready", text: "Ready", detail: `${who} is ready.` };
    case "stopped":
      return queued > 0 ? starting : { kind: "stopped", text: stopText(runtime.reason), detail: runtime.detail || "It starts again by itself when you run a cell." };
    default:
      return assertNever(runtime.state);
  }
}

const unknown: Health = { kind: "away", text: "Unknown", detail: "Nobody can say how the runtime is until the server answers. A program that runs goes on, and what you run waits." };

const starting: Health = { kind: "starting", text: "Starting…", detail: "The runtime is being started." };

function stopText(reason: StopReason | undefined): string {
  switch (reason) {
    case "idle":
      return "Stopped: idle";
    case "failed":
      return "Stopped: failed";
    case "lease":
      return "Stopped: lost";
    case "restart":
      return "Restarting…";
    case "shutdown":
    case undefined:
      return "Stopped";
    default:
      return assertNever(reason);
  }
}
