/** Returns an error, or a text in lower case as errors and logs have it, as a sentence for people. */
export function sentence(said: unknown): string {
  const text = said instanceof Error ? said.message : String(said);
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
