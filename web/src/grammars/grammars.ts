import { pythonLanguage } from "@codemirror/lang-python";
import type { Language, LanguageSupport } from "@codemirror/language";
import { findLanguage } from "../core/language.js";
import type { LanguageID } from "../core/languages.js";

/** Grammar is the grammar of a language, for editors and for code in Markdown. */
export interface Grammar {
  /** One level of indentation. */
  readonly unit: string;
  /** The grammar, if it is part of the first script. */
  readonly ready?: Language;
  /** Loads the grammar. */
  readonly load?: () => Promise<Language | LanguageSupport>;
}

const four = "    ";
const two = "  ";

/** The grammar of each language of the table, and that of text. */
const grammars: Readonly<Record<LanguageID | "markdown", Grammar>> = {
  python: { unit: four, ready: pythonLanguage },
  markdown: { unit: two, load: async () => (await import("./markdown.js")).markdownGrammar },
  javascript: { unit: two, load: async () => (await import("@codemirror/lang-javascript")).javascriptLanguage },
  typescript: { unit: two, load: async () => (await import("@codemirror/lang-javascript")).typescriptLanguage },
  sql: { unit: two, load: async () => (await import("@codemirror/lang-sql")).StandardSQL.language },
  r: { unit: two, load: async () => (await import("./legacy.js")).r },
  julia: { unit: four, load: async () => (await import("./legacy.js")).julia },
  ruby: { unit: two, load: async () => (await import("./legacy.js")).ruby },
  perl: { unit: four, load: async () => (await import("./legacy.js")).perl },
  lua: { unit: two, load: async () => (await import("./legacy.js")).lua },
  scheme: { unit: two, load: async () => (await import("./legacy.js")).scheme },
  php: { unit: four, load: async () => (await import("./php.js")).php },
  bash: { unit: two, load: async () => (await import("./legacy.js")).bash },
};

/** Returns the grammar of a language by any of its names; a language without one is plain text. */
export function grammarOf(name: string): Grammar {
  const id = findLanguage(name)?.id ?? (/^(?:markdown|md)$/i.test(name) ? "markdown" : undefined);
  return id === undefined ? { unit: four } : grammars[id];
}
