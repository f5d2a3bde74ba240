/** How long the first screen stays at most once there is a page, for what that still loads, in milliseconds. */
const longest = 1_500;

/**
 * Takes away the first screen, which the server sent, when the page below it shows as much: something that is
 * no longer busy, and no prose as it is written.
 */
export function handOver(root: HTMLElement, first: HTMLElement): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (): void => {
    clearTimeout(timer);
    watch.disconnect();
    first.remove();
  };
  const look = (): void => {
    if (!root.querySelector("main:not([aria-busy])")) return;
    if (!root.querySelector("[data-unready]")) return end();
    timer ??= setTimeout(end, longest);
  };
  const watch = new MutationObserver(look);
  watch.observe(root, { childList: true, subtree: true });
  look();
}
