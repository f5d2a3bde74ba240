import "katex/dist/katex.min.css";
import katex from "katex";
import { Formulas } from "./bounds.js";

/** Renders formulas in place of their source, and returns the number of unrendered ones: too long, or nested too deep. */
export function renderFormulas(root: ParentNode): number {
  const formulas = new Formulas();
  let left = 0;
  for (const node of root.querySelectorAll(".math-inline, .math-display, .math-block")) {
    const element = document.createElement(node.className === "math-block" ? "div" : "span");
    if (node.className === "math-block") element.className = "formula";
    if (formulas.take(node.textContent) && renderFormula(node.textContent, element, node.className !== "math-inline") && formulas.fits(element))
      node.replaceWith(element);
    else left++;
  }
  return left;
}

/** Renders a formula, or its error. Reports whether there is a result to show. */
function renderFormula(source: string, element: HTMLElement, displayMode: boolean): boolean {
  try {
    katex.render(source, element, {
      displayMode,
      throwOnError: false,
      errorColor: "var(--error)",
      strict: "ignore",
      trust: false,
      maxSize: 40,
      maxExpand: Formulas.expansionsOf(source),
    });
    return true;
  } catch {
    return false;
  }
}
