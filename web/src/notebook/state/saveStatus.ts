import type { Status } from "../../core/view.js";
import { counted } from "../../lib/counted.js";

/** SaveStatus is the state of unsaved changes, in words that are true. */
export interface SaveStatus {
  readonly kind: "saved" | "saving" | "unsaved" | "away" | "ended" | "opening";
  readonly text: string;
  /** Details for which there is no space beside the title. */
  readonly detail?: string;
}

/** Returns the save status; unsaved tells whether the core refused the text of a cell. */
export function saveStatus(status: Status | undefined, unsaved = false): SaveStatus {
  if (!status) return { kind: "opening", text: "Opening…" };
  if (unsaved) return { kind: "unsaved", text: "Not saved", detail: "What was typed into a cell could not be taken: why stands below it." };
  if (status.closed) return { kind: "ended", text: "Not connected", detail: status.closed.message };
  if (!status.online) return away(status);
  if (status.pending > 0) return { kind: "saving", text: "Saving…" };
  return { kind: "saved", text: "Saved", detail: "All changes are on the server's disk." };
}

function away({ pending, trouble, unstored }: Status): SaveStatus {
  if (unstored !== undefined) {
    return {
      kind: "away",
      text: `Not stored in this browser: ${unstored}`,
      detail: `Keep this page open until the connection is back: ${counted(pending, "change")} would be lost with it.`,
    };
  }
  if (pending > 0) {
    return { kind: "away", text: `Offline · ${counted(pending, "change")} kept here`, ...explained(trouble) };
  }
  if (trouble === undefined) return { kind: "opening", text: "Connecting…" };
  return { kind: "away", text: "Reconnecting…", detail: trouble };
}

function explained(trouble: string | undefined): { readonly detail: string } {
  return { detail: `${trouble === undefined ? "" : `${trouble}. `}They are sent when the connection is back.` };
}
