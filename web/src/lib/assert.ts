/** Never returns: the compiler proves that a switch has all cases. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value ${JSON.stringify(value)}`);
}
