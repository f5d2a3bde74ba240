import type { Language, LanguageSupport } from "@codemirror/language";
import { classHighlighter, highlightCode } from "@lezer/highlight";
import { type Grammar, grammarOf } from "../../grammars/grammars.js";
import { type Lazy, lazily } from "../../lib/lazily.js";

type Parser = Language["parser"];

const longest = 50_000; // units of a block that are worth it
const loading = new Map<Grammar, Lazy<Language | LanguageSupport>>();

/** Highlights the code in Markdown: at once if its grammar is loaded, else later. */
export function highlightBlocks(root: ParentNode): void {
  for (const code of root.querySelectorAll("pre > code[class*=language-]")) {
    if (code.textContent.length > longest) continue;
    const name = code.className.slice("language-".length).toLowerCase();
    const grammar = grammarOf(name === "json" ? "javascript" : name);
    const { ready = lazyOf(grammar)?.get() } = grammar;
    if (ready) highlight(code, parserOf(ready));
    else
      void lazyOf(grammar)
        ?.load()
        .then((loaded) => highlight(code, parserOf(loaded)));
  }
}

function lazyOf(grammar: Grammar): Lazy<Language | LanguageSupport> | undefined {
  const { load } = grammar;
  if (!load) return undefined;
  const known = loading.get(grammar) ?? lazily(load);
  loading.set(grammar, known);
  return known;
}

function parserOf(grammar: Language | LanguageSupport): Parser {
  return "language" in grammar ? grammar.language.parser : grammar.parser;
}

function highlight(code: Element, parser: Parser): void {
  const source = code.textContent;
  const fragment = document.createDocumentFragment();
  highlightCode(
    source,
    parser.parse(source),
    classHighlighter,
    (text, classes) => {
      if (classes === "") return fragment.append(text);
      const span = document.createElement("span");
      span.className = classes;
      span.textContent = text;
      fragment.append(span);
    },
    () => fragment.append("\n"),
  );
  code.replaceChildren(fragment);
}
