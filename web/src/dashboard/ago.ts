const steps = [
  { unit: "minute", seconds: 60 },
  { unit: "hour", seconds: 3_600 },
  { unit: "day", seconds: 86_400 },
] as const;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** Returns a relative time in words, or a date for times more than a week ago. Both arguments are milliseconds. */
export function ago(time: number, now: number): string {
  const seconds = Math.max(0, (now - time) / 1_000); // another machine's clock may be ahead
  if (seconds < 60) return "just now";
  if (seconds >= 7 * 86_400) return dateOf(time, { dateStyle: "medium" });
  const step = steps.findLast(({ seconds: least }) => seconds >= least) ?? steps[0];
  return relative.format(-Math.floor(seconds / step.seconds), step.unit);
}

/** Returns a full date and time. */
export function exactly(time: number): string {
  return dateOf(time, { dateStyle: "full", timeStyle: "medium" });
}

function dateOf(time: number, format: Intl.DateTimeFormatOptions): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? "at an unknown time" : new Intl.DateTimeFormat(undefined, format).format(date);
}
