// Characters without a shape, and those that change the direction of the text after them.
const invisible = /[\p{Cc}\p{Zl}\p{Zp}\u200b\u2060-\u2069\u202a-\u202e\u061c\ufeff]|[\u{e0000}-\u{e007f}]/gu;
const letters = /[^\p{Z}\p{C}\p{M}\u115f\u1160\u3164\uffa0\u2800]/u;

/**
 * Returns a name that can be shown beside others: on one line, without invisible and direction-changing characters. A name
 * without visible characters is replaced.
 */
export function printable(name: string, instead = "Untitled"): string {
  const shown = name.toWellFormed().replace(/\s+/gu, " ").replace(invisible, "").replace(/ {2,}/g, " ").trim();
  return letters.test(shown) ? shown : instead;
}

/** Shortens a text to a number of characters, with an ellipsis at its end. */
export function shorten(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most
    ? text
    : `${characters
        .slice(0, most - 1)
        .join("")
        .trimEnd()}…`;
}
