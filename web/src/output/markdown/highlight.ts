import type { Language } from "@codemirror/language";
import { classHighlighter, highlightCode } from "@lezer/highlight";
import { type Lazy, lazily } from "../../lib/lazily.js";

type Parser = Language["parser"];

const python = lazily(async () => (await import("@codemirror/lang-python")).pythonLanguage.parser);
const javascript = lazily(async () => (await import("@codemirror/lang-javascript")).javascriptLanguage.parser);
const typescript = lazily(async () => (await import("@codemirror/lang-javascript")).typescriptLanguage.parser);
const sql = lazily(async () => (await import("@codemirror/lang-sql")).StandardSQL.language.parser);

const languages: ReadonlyMap<string, Lazy<Parser>> = new Map([
  ["python", python],
  ["py", python],
  ["python3", python],
  ["javascript", javascript],
  ["js", javascript],
  ["json", javascript],
  ["typescript", typescript],
  ["ts", typescript],
  ["sql", sql],
]);

const longest = 50_000; // units of a block that are worth it

/** Highlights the code in Markdown: at once if its grammar is loaded, else later. */
export function highlightBlocks(root: ParentNode): void {
  for (const code of root.querySelectorAll("pre > code[class*=language-]")) {
    const lazy = languages.get(code.className.slice("language-".length).toLowerCase());
    if (!lazy || code.textContent.length > longest) continue;
    const parser = lazy.get();
    if (parser) highlight(code, parser);
    else void lazy.load().then((loaded) => highlight(code, loaded));
  }
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
