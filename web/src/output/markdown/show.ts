import { lazily } from "../lazily.js";
import { clean } from "./clean.js";
import { highlightBlocks } from "./highlight.js";
import { type Pictures, resolvePictures } from "./pictures.js";
import { toHTML } from "./toHTML.js";

const none: Pictures = new Map();
const katex = lazily(() => import("./katex.js"));

/** Returns Markdown as nodes that are only to be looked at. Formulas and code may get their looks a little later. */
export function nodesOf(source: string, pictures: Pictures = none): DocumentFragment {
  const nodes = clean(toHTML(source));
  resolvePictures(nodes, pictures);
  highlightBlocks(nodes);
  return nodes;
}

/** Shows Markdown in an element, in place of what is there. */
export function show(source: string, element: HTMLElement, pictures: Pictures = none): void {
  const nodes = nodesOf(source, pictures);
  if (nodes.querySelector("[class^=math-]")) {
    const loaded = katex.get();
    if (loaded) loaded.renderFormulas(nodes);
    else void katex.load().then((module) => module.renderFormulas(element), () => undefined);
  }
  element.replaceChildren(nodes);
}
