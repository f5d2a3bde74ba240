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

/** Find is an open search in a log. */
interface Find {
  readonly query: Query;
  readonly finding: Finding;
  /** The index of the current match, from 0, and the match if there is one. */
  readonly current: number;
  readonly match: Match | undefined;
  onQuery(query: Query): void;
  onStep(direction: -1 | 1): void;
}

/** Searches a log while the search is open. */
export function useLogFind(log: Log, revision: number, searching: boolean): Find {
  const [query, setQuery] = useState<Query>({ text: "", caseSensitive: false, regexp: false });
  const [chosen, setChosen] = useState(0);
  const finding = useSearch(log, revision, searching ? query : undefined);
  const count = finding.matches.length;
  const current = Math.max(0, Math.min(chosen, count - 1));
  return {
    query,
    finding,
    current,
    match: finding.matches[current],
    onQuery(next) {
      setQuery(next);
      setChosen(0);
    },
    onStep(direction) {
      if (count > 0) setChosen((current + direction + count) % count);
    },
  };
}
