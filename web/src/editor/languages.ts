import { pythonLanguage } from "@codemirror/lang-python";
import type { Extension } from "@codemirror/state";

/** Language is the editor's configuration for a language. */
export interface Language {
  /** Its display name. */
  readonly title: string;
  /** One level of indentation. */
  readonly unit: string;
  /** The grammar, if it is part of the first script. */
  readonly ready?: Extension;
  /** Loads the grammar. */
  readonly load?: () => Promise<Extension>;
}

const four = "    ";
const two = "  ";

/** The languages with a grammar. Any other is plain text. */
const table: Readonly<Record<string, Language>> = {
  python: { title: "Python", unit: four, ready: pythonLanguage },
  markdown: { title: "Markdown", unit: two, load: async () => (await import("./markdown.js")).markdownGrammar },
  javascript: { title: "JavaScript", unit: two, load: async () => (await import("@codemirror/lang-javascript")).javascriptLanguage },
  typescript: { title: "TypeScript", unit: two, load: async () => (await import("@codemirror/lang-javascript")).typescriptLanguage },
  sql: { title: "SQL", unit: two, load: async () => (await import("@codemirror/lang-sql")).StandardSQL.language },
  r: { title: "R", unit: two, load: async () => (await import("./legacy.js")).r },
  ruby: { title: "Ruby", unit: two, load: async () => (await import("./legacy.js")).ruby },
  perl: { title: "Perl", unit: four, load: async () => (await import("./legacy.js")).perl },
  lua: { title: "Lua", unit: two, load: async () => (await import("./legacy.js")).lua },
  scheme: { title: "Scheme", unit: two, load: async () => (await import("./legacy.js")).scheme },
  php: { title: "PHP", unit: four, load: async () => (await import("./php.js")).php },
  shell: { title: "Shell", unit: two, load: async () => (await import("./legacy.js")).shell },
};

const aliases: Readonly<Record<string, string>> = {
  py: "python",
  python3: "python",
  ipython: "python",
  md: "markdown",
  js: "javascript",
  ts: "typescript",
  rb: "ruby",
  bash: "shell",
  sh: "shell",
};

/** Returns the configuration of a language; unknown languages are plain text. */
export function languageOf(name: string): Language {
  const key = name.toLowerCase();
  const known = aliases[key] ?? key;
  return (Object.hasOwn(table, known) ? table[known] : undefined) ?? { title: name || "Text", unit: four };
}
