/** The time left to an opening page, in milliseconds. */
const opening = 4_000;

/** Calls f once, when the opened page is idle, or soon after. */
export function whenIdle(f: () => void): void {
  setTimeout(() => {
    if ("requestIdleCallback" in window) requestIdleCallback(f, { timeout: opening });
    else f();
  }, opening);
}
