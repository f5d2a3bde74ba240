const script = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/i;

/** Replaces the content of an element with HTML, and runs its scripts one after the other, as a page would. */
export async function showHTML(source: string, root: HTMLElement): Promise<void> {
  root.innerHTML = source; // this runs no script
  for (const old of root.querySelectorAll("script")) {
    if (script.test(old.type.trim()) && root.contains(old)) await run(old);
  }
}

/** Runs a script that may use the element, as outputs of notebooks do. */
export async function showJavaScript(source: string, root: HTMLElement): Promise<void> {
  root.replaceChildren();
  Reflect.set(window, "element", root);
  const element = document.createElement("script");
  element.textContent = source;
  root.append(element);
}

/** Replaces an inert script element with one that runs, and waits for it if it has a source. */
function run(old: HTMLScriptElement): Promise<void> {
  const element = document.createElement("script");
  for (const { name, value } of old.attributes) element.setAttribute(name, value);
  element.textContent = old.textContent;
  const waits = element.hasAttribute("src") && !element.hasAttribute("async");
  element.async = element.hasAttribute("async");
  return new Promise((resolve) => {
    element.addEventListener("load", () => resolve());
    element.addEventListener("error", () => resolve());
    old.replaceWith(element);
    if (!waits) resolve();
  });
}
