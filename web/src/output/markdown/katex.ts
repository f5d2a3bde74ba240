import "katex/dist/katex.min.css";
import katex from "katex";

/** Puts formulas where their source is. */
export function renderFormulas(root: ParentNode): void {
  for (const node of root.querySelectorAll(".math-inline, .math-display, .math-block")) {
    const element = document.createElement(node.className === "math-block" ? "div" : "span");
    if (node.className === "math-block") element.className = "formula";
    renderFormula(node.textContent, element, node.className !== "math-inline");
    node.replaceWith(element);
  }
}

function renderFormula(source: string, element: HTMLElement, displayMode: boolean): void {
  try {
    katex.render(source, element, { displayMode, throwOnError: false, errorColor: "var(--error)", strict: "ignore", trust: false, maxSize: 40, maxExpand: 1000 });
  } catch {
    element.textContent = source; // the source of a formula is better than none
  }
}
