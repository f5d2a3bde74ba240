import { lazily } from "../../lib/lazily.js";
import styles from "../../ui/Cut.module.css";
import { tooMuchHTML, tooMuchMarkdown } from "./bounds.js";
import { clean } from "./clean.js";
import { highlightBlocks } from "./highlight.js";
import { type Pictures, resolvePictures } from "./pictures.js";
import { toHTML } from "./toHTML.js";

const none: Pictures = new Map();
const katex = lazily(() => import("./katex.js"));
const mostPlain = 100_000; // units of a text that is shown unrendered

/** Renders Markdown to inert nodes. Formulas and code may be rendered a little later. */
export function nodesOf(source: string, pictures: Pictures = none): DocumentFragment {
  const why = tooMuchMarkdown(source);
  const html = why === undefined ? toHTML(source) : "";
  const much = why ?? tooMuchHTML(html);
  if (much !== undefined) return plain(source, much);
  const nodes = clean(html);
  const left = resolvePictures(nodes, pictures);
  if (left > 0)
    nodes.append(note(`${left === 1 ? "A picture draws" : `${left} pictures draw`} more than the page can paint, and ${left === 1 ? "is" : "are"} left out.`));
  highlightBlocks(nodes);
  return nodes;
}

/** Renders Markdown in an element, in place of its content. */
export function show(source: string, element: HTMLElement, pictures: Pictures = none): void {
  const nodes = nodesOf(source, pictures);
  if (nodes.querySelector("[class^=math-]")) {
    const loaded = katex.get();
    if (loaded) sayLeft(nodes, loaded.renderFormulas(nodes));
    else void katex.load().then((module) => sayLeft(element, module.renderFormulas(element)));
  }
  element.replaceChildren(nodes);
}

function sayLeft(root: ParentNode, count: number): void {
  if (count > 0)
    root.append(
      note(
        `${count === 1 ? "A formula is" : `${count} formulas are`} shown as written: too long, too deep within ${count === 1 ? "itself" : "themselves"}, or behind too many others.`,
      ),
    );
}

/** Returns a text unrendered, with the reason. */
function plain(source: string, why: string): DocumentFragment {
  const nodes = document.createDocumentFragment();
  const text = document.createElement("pre");
  text.textContent = source.slice(0, mostPlain).toWellFormed();
  const all = source.length <= mostPlain ? "This is its source." : `This is the beginning of its source, of ${source.length.toLocaleString()} characters.`;
  nodes.append(note(`${why} ${all}`), text);
  return nodes;
}

function note(text: string): HTMLElement {
  const element = document.createElement("p");
  element.className = styles.cut ?? "";
  element.textContent = text;
  return element;
}
