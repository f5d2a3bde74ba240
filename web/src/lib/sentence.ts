/** Returns an error, or a message in lower case as in logs, as a sentence for users. */
export function sentence(said: unknown): string {
  const text = said instanceof Error ? said.message : String(said);
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
