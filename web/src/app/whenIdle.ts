/** Calls f when the page has had nothing else to do, some seconds from now at the latest. */
export function whenIdle(f: () => void): void {
  const most = 5_000;
  if ("requestIdleCallback" in window) requestIdleCallback(f, { timeout: most });
  else setTimeout(f, most / 2);
}
