import { useEffect, useState } from "react";
import type { Time } from "../../core/event.js";

/** Returns the milliseconds since a moment, updated each second, and ten times a second at first. */
export function useElapsed(since: Time | undefined): number | undefined {
  const [now, setNow] = useState(() => Date.now());
  const elapsed = since === undefined ? undefined : Math.max(0, now - since);
  const pause = elapsed !== undefined && elapsed < 10_000 ? 100 : 1000;
  useEffect(() => {
    if (since === undefined) return undefined;
    const timer = setInterval(() => setNow(Date.now()), pause);
    return () => clearInterval(timer);
  }, [since, pause]);
  return elapsed;
}
