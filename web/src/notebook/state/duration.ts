/** Returns a time in milliseconds for people: as exact as one cares for. */
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

/** Returns how long a run took that ended, as far as it ran. One that took less than a millisecond says no time. */
export function tookOf({ took, started }: { readonly took?: number; readonly started?: number }): number | undefined {
  return took ?? (started === undefined ? undefined : 0);
}

/** Returns a place in a queue: 1st, 2nd, 3rd, 4th. */
export function ordinal(n: number): string {
  const tens = n % 100;
  if (tens >= 11 && tens <= 13) return `${n}th`;
  return `${n}${["th", "st", "nd", "rd"][n % 10] ?? "th"}`;
}
