import type { Page } from "./page.js";

/** Does something, and says why if it cannot be done. */
export async function attempt(page: Pick<Page, "note">, does: () => void | Promise<void>): Promise<void> {
  try {
    await does();
  } catch (error) {
    page.note({ kind: "error", text: sentence(error) });
  }
}

/** Returns an error as a sentence. */
export function sentence(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
