/** How long a page is left alone after it was opened, in milliseconds. */
const opening = 4_000;

/** Calls f once, when the page has been opened and then has nothing else to do, or soon after. */
export function whenIdle(f: () => void): void {
  setTimeout(() => {
    if ("requestIdleCallback" in window) requestIdleCallback(f, { timeout: opening });
    else f();
  }, opening);
}
