/** Focuses the main content of the page. */
export function focusMain(): void {
  const main = document.querySelector("main");
  if (!main) return;
  if (!main.hasAttribute("tabindex")) main.tabIndex = -1;
  main.focus();
}
