import { useCallback, useEffect, useMemo, useState } from "react";
import type { CellID } from "../../core/event.js";
import { useNotebook } from "../../core/hooks.js";
import { Store } from "../../core/store.js";
import { usePage } from "../state/page.js";
import { type Found, find, type Match, type Query, type Source } from "./find.js";

const none: readonly CellID[] = [];

/** Finds a query in all cells, and again when they change, at most once a frame. */
export function useNotebookFind(query: Query): Found {
  const {
    client: { store },
  } = usePage();
  const cells = useNotebook()?.cells ?? none;
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let frame = 0;
    const changed = (): void => {
      if (frame === 0) frame = requestAnimationFrame(() => ((frame = 0), setTurn((now) => now + 1)));
    };
    const stops = cells.map((id) => store.listen(Store.textKey(id), changed));
    return () => {
      cancelAnimationFrame(frame);
      for (const stop of stops) stop();
    };
  }, [store, cells]);
  return useMemo(() => find(sourcesOf(store, cells), query), [store, cells, query, turn]);
}

/** Returns the loaded sources of cells. */
export function sourcesOf(store: Store, cells: readonly CellID[]): readonly Source[] {
  return cells.flatMap((cell) => {
    const text = store.text(cell);
    return text ? [{ cell, source: text.source }] : [];
  });
}

/** Returns the line of a match, counted from 1, with the text around the match. */
export function lineOf(
  source: string,
  { from, to }: Match,
): { readonly line: number; readonly before: string; readonly match: string; readonly after: string } {
  const start = source.lastIndexOf("\n", from - 1) + 1;
  const end = source.indexOf("\n", to);
  return {
    line: source.slice(0, from).split("\n").length,
    before: source.slice(Math.max(start, from - 40), from).trimStart(),
    match: source.slice(from, to),
    after: source.slice(to, Math.min(end < 0 ? source.length : end, to + 60)),
  };
}

/**
 * Returns the current match, a function that moves to another, and one that skips all before a place. The first is the one at
 * or after the active cell.
 */
export function useMatch(found: Found): { readonly at: number; readonly go: (by: -1 | 1) => void; readonly pass: (cell: CellID, from: number) => void } {
  const {
    client: { store },
    ui,
    list,
  } = usePage();
  const [chosen, setChosen] = useState<Match>();
  const at = useMemo(() => nearest(found.matches, chosen, store.notebook()?.cells ?? none), [found, chosen, store]);
  const go = useCallback(
    (by: -1 | 1) => {
      const count = found.matches.length;
      const next = chosen === undefined && by > 0 ? Math.max(at, 0) : at + by;
      const match = found.matches[(next + count) % count];
      if (!match) return;
      setChosen(match);
      ui.fold([match.cell], { source: false });
      ui.place(match.cell);
      ui.flash(match.cell);
      list.current?.reveal(match.cell);
    },
    [found, chosen, at, ui, list],
  );
  const pass = useCallback((cell: CellID, from: number) => setChosen({ cell, from, to: from }), []);
  return { at, go, pass };
}

function nearest(matches: readonly Match[], chosen: Match | undefined, cells: readonly CellID[]): number {
  if (matches.length === 0) return -1;
  if (!chosen) return 0;
  const place = cells.indexOf(chosen.cell);
  const at = matches.findIndex((match) => (match.cell === chosen.cell ? match.from >= chosen.from : cells.indexOf(match.cell) > place));
  return at < 0 ? 0 : at;
}
