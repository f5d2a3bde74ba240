/** Makes the browser ask before the page is left. Returns the function that ends this. */
export function askBeforeLeaving(): () => void {
  const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
  window.addEventListener("beforeunload", ask);
  return () => window.removeEventListener("beforeunload", ask);
}
