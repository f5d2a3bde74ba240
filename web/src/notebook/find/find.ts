import type { CellID } from "../../core/event.js";
import type { Piece } from "../../core/view.js";
import type { Mark } from "../../editor/marks.js";

/** Query is a search. */
export interface Query {
  readonly text: string;
  readonly caseful: boolean;
  readonly regexp: boolean;
}

/** Match is an occurrence of a query in a source. */
export interface Match {
  readonly cell: CellID;
  readonly from: number;
  readonly to: number;
}

/** Found is the matches of a query, or the error in it. */
export interface Found {
  readonly matches: readonly Match[];
  readonly error?: string;
  /** There are more than the listed matches. */
  readonly more?: boolean;
}

/** Source is the text of a cell. */
export interface Source {
  readonly cell: CellID;
  readonly source: string;
}

/** The most listed matches. */
export const most = 10_000;

/** Returns the matches of a query in sources, in order. Empty matches are skipped. */
export function find(sources: readonly Source[], query: Query): Found {
  if (query.text === "") return { matches: [] };
  const pattern = patternOf(query);
  if (typeof pattern === "string") return { matches: [], error: pattern };
  const matches: Match[] = [];
  for (const { cell, source } of sources) {
    for (const match of source.matchAll(pattern)) {
      if (match[0] === "") continue;
      if (matches.length === most) return { matches, more: true };
      matches.push({ cell, from: match.index, to: match.index + match[0].length });
    }
  }
  return { matches };
}

/**
 * Returns the replacement of a match in a source: the text itself, or for a regular expression the text with $1, $& etc. filled
 * in. undefined if the match is gone.
 */
export function replacement(source: string, { from, to }: Match, query: Query, by: string): string | undefined {
  const pattern = patternOf(query);
  if (typeof pattern === "string") return undefined;
  pattern.lastIndex = from;
  const match = pattern.exec(source);
  if (match?.index !== from || from + match[0].length !== to) return undefined;
  return query.regexp ? filled(match, by) : by;
}

/** Returns all pieces to replace for a query in sources. */
export function pieces(sources: readonly Source[], query: Query, by: string): readonly Piece[] {
  const pattern = patternOf(query);
  if (typeof pattern === "string" || query.text === "") return [];
  return sources.flatMap(({ cell, source }) =>
    [...source.matchAll(pattern)]
      .filter(([was]) => was !== "")
      .map((match) => ({ cell, at: match.index, was: match[0], text: query.regexp ? filled(match, by) : by })),
  );
}

/** Returns the marks of the editors, by cell. */
export function marks(matches: readonly Match[], current: Match | undefined): ReadonlyMap<CellID, readonly Mark[]> {
  const by = new Map<CellID, Mark[]>();
  for (const match of matches) {
    const of = by.get(match.cell) ?? [];
    of.push({ from: match.from, to: match.to, current: match === current });
    by.set(match.cell, of);
  }
  return by;
}

function filled(match: RegExpExecArray, by: string): string {
  return by.replace(/\$(\$|&|\d{1,2})|\\n|\\t/g, (all, name: string | undefined) => {
    if (all === "\\n") return "\n";
    if (all === "\\t") return "\t";
    if (name === "$") return "$";
    return name === "&" ? match[0] : (match[Number(name)] ?? "");
  });
}

/** Returns a query as a pattern, or the error in it. */
function patternOf({ text, caseful, regexp }: Query): RegExp | string {
  try {
    return new RegExp(regexp ? text : text.replace(/[$()*+./?[\\\]^{|}]/g, "\\$&"), `gmu${caseful ? "" : "i"}`);
  } catch (error) {
    return `This is not a regular expression: ${reason(error)}`;
  }
}

/** Returns the end of the browser's error message, which names the problem. */
function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.slice(message.lastIndexOf(": ") + 2) || message;
}
