import { type Language, languages } from "./languages.js";

const byName: ReadonlyMap<string, Language> = new Map(languages.flatMap((l) => [l.id, ...l.aliases].map((name) => [name, l] as const)));

/** Returns the language of the table with an id or an alias, in any case. */
export function findLanguage(name: string): Language | undefined {
  return byName.get(name.toLowerCase());
}

/** Returns the id of a language by any of its names: of one that is not in the table the name in lower case. */
export function languageID(name: string): string {
  return findLanguage(name)?.id ?? name.toLowerCase();
}

/** Returns the display name of a language; one that is not in the table is shown as it is. */
export function languageTitle(name: string): string {
  return findLanguage(name)?.title ?? name;
}

/**
 * Returns the language of a source: that of the cell magic that a cell of Python begins with, such as `%%ruby`, if it is in the
 * table, and else that of its cell.
 */
export function sourceLanguage(language: string, firstLine: string): string {
  const magic = /^%%(\w+)/.exec(firstLine)?.[1];
  if (magic === undefined || languageID(language) !== "python") return language;
  return findLanguage(magic)?.id ?? language;
}
