import { useCallback, useEffect, useRef, useState } from "react";
import { Log } from "../../core/log.js";
import { type Read, readText } from "./artifacts.js";

/** Loading is the progress of reading an artifact's text. */
export type Loading =
  | { readonly kind: "idle" }
  | { readonly kind: "reading"; readonly log: Log; readonly revision: number }
  | ({ readonly kind: "read"; readonly log: Log; readonly revision: number } & Read)
  | { readonly kind: "failed"; readonly reason: string };

/** Reads an artifact as text on demand, up to a number of bytes, appended to the text before it. */
export function useArtifactText(address: string | undefined, most: number, before = ""): { readonly loading: Loading; readonly load: () => void } {
  const [loading, setLoading] = useState<Loading>({ kind: "idle" });
  const running = useRef<AbortController>(undefined);
  const load = useCallback(() => {
    if (address === undefined) return;
    running.current?.abort();
    const reading = new AbortController();
    running.current = reading;
    const log = new Log(before);
    let revision = 0;
    const set = (next: Loading): void => {
      if (!reading.signal.aborted) setLoading(next);
    };
    set({ kind: "reading", log, revision });
    const piece = (text: string): void => {
      log.append(0, text);
      set({ kind: "reading", log, revision: ++revision });
    };
    readText(address, most, piece, reading.signal).then(
      (read) => set({ kind: "read", log, revision: revision + 1, ...read }),
      (error: unknown) => set({ kind: "failed", reason: error instanceof Error ? error.message : String(error) }),
    );
  }, [address, most, before]);
  useEffect(() => () => running.current?.abort(), [load]);
  useEffect(() => setLoading({ kind: "idle" }), [address]);
  return { loading, load };
}
