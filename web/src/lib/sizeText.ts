const step = 1000;

/** Returns a number of bytes with a unit. */
export function sizeText(bytes: number): string {
  if (bytes < step) return `${bytes} B`;
  const power = Math.min(4, Math.floor(Math.log(bytes) / Math.log(step)));
  return `${(bytes / step ** power).toPrecision(3)} ${["B", "kB", "MB", "GB", "TB"][power]}`;
}
