import type { Output } from "../core/event.js";

/** Returns the accessible name of an output. */
export function labelOf({ kind, stream, error }: Output): string {
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
