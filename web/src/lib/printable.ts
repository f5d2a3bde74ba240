// What has no shape of its own, and what turns the text after it around.
const invisible = /[\p{Cc}\p{Zl}\p{Zp}\u200b\u2060-\u2069\u202a-\u202e\u061c\ufeff]|[\u{e0000}-\u{e007f}]/gu;
const letters = /[^\p{Z}\p{C}\p{M}\u115f\u1160\u3164\uffa0\u2800]/u;

/**
 * Returns a name as it can be shown beside others: on one line, without characters that hide in it or
 * turn what follows around. A name in which nothing is to be seen becomes the one given instead.
 */
export function printable(name: string, instead = "Untitled"): string {
  const shown = name.toWellFormed().replace(/\s+/gu, " ").replace(invisible, "").replace(/ {2,}/g, " ").trim();
  return letters.test(shown) ? shown : instead;
}

/** Returns a text that is no longer than so many characters: its beginning, and a sign that it goes on. */
export function shorten(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("").trimEnd()}…`;
}
