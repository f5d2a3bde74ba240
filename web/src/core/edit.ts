import type { Edit } from "./event.js";

/** Applies an edit to a text. Throws when it does not fit. */
export function applyEdit(text: string, edit: Edit): string {
  let at = 0;
  let result = "";
  for (const part of edit) {
    if (typeof part === "string") {
      result += part;
      continue;
    }
    if (at + Math.abs(part) > text.length) throw new Error(`edit reaches ${at + Math.abs(part)} of ${text.length} units`);
    if (part > 0) result += text.slice(at, at + part);
    at += Math.abs(part);
  }
  return result + text.slice(at);
}
