/** Returns a number of things in words. The browser's own formats would take a while the first time, and a page opens with some. */
export function counted(n: number, thing: string): string {
  const digits = String(n).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${digits} ${thing}${n === 1 ? "" : "s"}`;
}
