/** Formats milliseconds with a useful precision. */
export function duration(ms: number): string {
  if (ms < 1) return "< 1 ms";
  if (ms < 100) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  return clock(Math.round(seconds));
}

function clock(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Returns the duration of a finished run, if it had started. A run of less than a millisecond has no recorded duration. */
export function tookOf({ took, started }: { readonly took?: number; readonly started?: number }): number | undefined {
  return took ?? (started === undefined ? undefined : 0);
}

/** Returns an ordinal number: 1st, 2nd, 3rd, 4th. */
export function ordinal(n: number): string {
  const tens = n % 100;
  if (tens >= 11 && tens <= 13) return `${n}th`;
  return `${n}${["th", "st", "nd", "rd"][n % 10] ?? "th"}`;
}
