import "katex/dist/katex.min.css";
import katex from "katex";
import { Formulas } from "./bounds.js";

/** Puts formulas where their source is, and returns how many stay as they are written: too long, or too deep within themselves. */
export function renderFormulas(root: ParentNode): number {
  const formulas = new Formulas();
  let left = 0;
  for (const node of root.querySelectorAll(".math-inline, .math-display, .math-block")) {
    const element = document.createElement(node.className === "math-block" ? "div" : "span");
    if (node.className === "math-block") element.className = "formula";
    if (formulas.take(node.textContent) && renderFormula(node.textContent, element, node.className !== "math-inline") && formulas.fits(element)) node.replaceWith(element);
    else left++;
  }
  return left;
}

/** Reports whether there is something to show, which for a formula with a mistake is that. */
function renderFormula(source: string, element: HTMLElement, displayMode: boolean): boolean {
  try {
    katex.render(source, element, { displayMode, throwOnError: false, errorColor: "var(--error)", strict: "ignore", trust: false, maxSize: 40, maxExpand: Formulas.expansionsOf(source) });
    return true;
  } catch {
    return false;
  }
}
