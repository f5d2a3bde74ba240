import { useState } from "react";
import type { Log } from "../../core/log.js";
import type { Match, Query } from "./search.js";
import { type Finding, useSearch } from "./useSearch.js";

/** Find is an open search in a log. */
export interface Find {
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
