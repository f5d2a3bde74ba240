import { sentence } from "../../lib/sentence.js";
import type { Page } from "./page.js";

/** Runs a function, and shows its error in a note. */
export async function attempt(page: Pick<Page, "note">, does: () => void | Promise<void>): Promise<void> {
  try {
    await does();
  } catch (error) {
    page.note({ kind: "error", text: sentence(error) });
  }
}
