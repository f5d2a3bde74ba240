/** The pauses between attempts, in milliseconds: each is twice the one before, up to the longest. */
const shortest = 250;
const longest = 5_000;

/** Returns the pause after a number of failures in a row. */
export function pauseAfter(failures: number): number {
  return Math.min(longest, shortest * 2 ** Math.min(failures - 1, 10));
}

/**
 * Calls f until it succeeds, with growing pauses, for calls that fail while a server is away. A pause ends early when the
 * browser is online again. An error thrown by `failed` is final.
 */
export async function retried<T>(f: (failures: number) => Promise<T>, failed: (error: unknown, failures: number) => unknown = () => {}): Promise<T> {
  for (let failures = 0; ;) {
    try {
      return await f(failures);
    } catch (error) {
      failures++;
      await failed(error, failures);
      await pause(pauseAfter(failures));
    }
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      removeEventListener("online", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    addEventListener("online", end);
  });
}
