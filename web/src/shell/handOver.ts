/** The longest time that the first screen stays once there is a page, in milliseconds. */
const longest = 1_500;

/** Removes the server's first screen once the page below it shows as much: it is not busy, and its Markdown is rendered. */
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
