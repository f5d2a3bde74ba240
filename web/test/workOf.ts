/** Returns how long the processor works on what f does, in milliseconds: unlike a clock it does not count what else a machine has to do. */
export function workOf(f: () => void): number {
  const before = process.cpuUsage();
  f();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
