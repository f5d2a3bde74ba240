import { useEffect, useRef, useState } from "react";
import { useClient, useQueue, useRuntime } from "../../core/hooks.js";
import type { Variable } from "../../core/protocol.js";
import { sentence } from "../../lib/sentence.js";
import { parseVariables } from "./variables.js";

/** Listing is the variables of a language. */
export interface Listing {
  /** undefined before the first answer. */
  readonly variables: readonly Variable[] | undefined;
  /** A program runs, so the variables date from before it. */
  readonly busy: boolean;
  /** The reason for a missing list. */
  readonly reason: string | undefined;
}

const pause = 100; // milliseconds in which more runs may end

/** Returns the variables of a language, and asks for them again after each run. */
export function useVariables(language: string): Listing {
  const client = useClient();
  const runtime = useRuntime();
  const queue = useQueue();
  const away = runtime?.state === "ready" && runtime.away === true;
  const ready = runtime?.state === "ready" && !away;
  const [told, setTold] = useState<{ readonly of: string; readonly variables?: readonly Variable[]; readonly reason?: string }>({ of: "" });
  const busy = useRef(false);
  busy.current = queue.length > 0;
  const of = `${runtime?.id ?? ""} ${language}`;
  useEffect(() => {
    if (!ready) return undefined;
    const asked = new AbortController();
    const ask = async (): Promise<void> => {
      try {
        const variables = parseVariables(await client.call("variables", { language }, asked.signal));
        if (!asked.signal.aborted) setTold({ of, variables });
      } catch (error) {
        if (!asked.signal.aborted && !busy.current) setTold({ of, reason: sentence(error) });
      }
    };
    const timer = setTimeout(() => void ask(), pause);
    return () => {
      clearTimeout(timer);
      asked.abort();
    };
  }, [client, ready, language, of, queue]);
  const current = told.of === of ? told : undefined;
  return {
    variables: ready ? current?.variables : undefined,
    busy: ready && queue.length > 0,
    reason: away ? "The runtime cannot be reached now." : ready ? current?.reason : undefined,
  };
}
