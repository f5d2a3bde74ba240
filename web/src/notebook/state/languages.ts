/** The display names of languages. */
const names: Readonly<Record<string, string>> = {
  python: "Python",
  javascript: "JavaScript",
  typescript: "TypeScript",
  ruby: "Ruby",
  r: "R",
  perl: "Perl",
  lua: "Lua",
  scheme: "Scheme",
  php: "PHP",
  shell: "Shell",
  sql: "SQL",
};

/** Returns the display name of a language. */
export function languageName(language: string): string {
  return names[language] ?? language;
}
