import { printable } from "../lib/printable.js";

/** Returns the initials of a name: of its first and of its last word. */
export function initials(name: string): string {
  const words = printable(name, "?")
    .split(/[\s._-]+/u)
    .filter(Boolean);
  const first = words[0] ?? "?";
  const last = words.length > 1 ? (words.at(-1) ?? "") : "";
  return (letter(first) + letter(last)).toUpperCase();
}

/** A letter may consist of several characters, such as one with combining accents. */
function letter(word: string): string {
  const [first] = new Intl.Segmenter().segment(word);
  const whole = first?.segment ?? "";
  return whole.length <= 8 ? whole : String.fromCodePoint(whole.codePointAt(0) ?? 63);
}
