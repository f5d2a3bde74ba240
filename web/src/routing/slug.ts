const most = 60; // characters: addresses are pasted into lines of text

/** Returns the slug of a title: its letters and digits, with dashes between the words. */
export function slugOf(title: string): string {
  const words = title.normalize("NFKC").toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  const whole = [...words.join("-")];
  return whole.slice(0, most).join("").replace(/-$/, "");
}
