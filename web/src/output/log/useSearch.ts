import { useEffect, useMemo, useState } from "react";
import type { Log } from "../../core/log.js";
import { type Match, patternOf, type Query, Search } from "./search.js";

const slice = 4000; // lines searched before other tasks get a turn

/** Finding is the progress of a search. */
export interface Finding {
  readonly matches: readonly Match[];
  readonly done: boolean;
  /** The error in the query. */
  readonly error?: string;
}

const nothing: Finding = { matches: [], done: true };

/** Searches a log, and continues as the log grows. */
export function useSearch(log: Log, revision: number, query: Query | undefined): Finding {
  const pattern = useMemo(() => (query && query.text !== "" ? patternOf(query) : undefined), [query]);
  const search = useMemo(() => (pattern instanceof RegExp ? new Search(log, pattern) : undefined), [log, pattern]);
  const [finding, setFinding] = useState<Finding & { readonly of?: Search }>(nothing);

  useEffect(() => {
    if (!search) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const step = () => {
      const done = search.go(slice);
      setFinding({ of: search, matches: [...search.matches], done });
      if (!done) timer = setTimeout(step);
    };
    step();
    return () => clearTimeout(timer);
  }, [search, revision]);

  if (typeof pattern === "string") return { ...nothing, error: pattern };
  if (!search) return nothing;
  return finding.of === search ? finding : { matches: [], done: false };
}
