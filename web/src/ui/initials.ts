import { printable } from "../lib/printable.js";

/** Returns the letters that stand for a name: of its first word and of its last. */
export function initials(name: string): string {
  const words = printable(name, "?").split(/[\s._-]+/u).filter(Boolean);
  const first = words[0] ?? "?";
  const last = words.length > 1 ? (words.at(-1) ?? "") : "";
  return (letter(first) + letter(last)).toUpperCase();
}

/** A letter may be several characters, such as one with accents of its own. */
function letter(word: string): string {
  const [first] = new Intl.Segmenter().segment(word);
  const whole = first?.segment ?? "";
  return whole.length <= 8 ? whole : (String.fromCodePoint(whole.codePointAt(0) ?? 63));
}
