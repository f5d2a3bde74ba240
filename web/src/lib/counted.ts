/** Returns a number of things in words. Intl would take a while on first use, and an opening page shows such numbers. */
export function counted(n: number, thing: string): string {
  const digits = String(n).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${digits} ${thing}${n === 1 ? "" : "s"}`;
}
