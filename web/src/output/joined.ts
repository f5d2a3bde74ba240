import { useCallback, useRef, useSyncExternalStore } from "react";
import type { Output, OutputID } from "../core/event.js";
import { useClient } from "../core/hooks.js";
import { Log } from "../core/log.js";
import { type OutputRow, Store } from "../core/store.js";
import { callID } from "./assistant/part.js";

/** A shown output: consecutive outputs of one stream are one text, and a tool call has its result. */
export interface ShownRow extends OutputRow {
  /** The text printed before the text in an artifact. */
  readonly before?: string;
  /** The result of the tool call. */
  readonly result?: Output;
}

/** Returns the outputs of a cell in groups that are shown as one. */
export function groupsOf(store: Store, ids: readonly OutputID[]): readonly (readonly OutputID[])[] {
  const groups: OutputID[][] = [];
  let above: OutputRow | undefined;
  for (const id of ids) {
    const row = store.output(id);
    const group = groups.at(-1);
    if (group && row && above && goesOn(above, row)) group.push(id);
    else groups.push([id]);
    above = row;
  }
  return groups;
}

/** Reports whether an output is shown with the one above it; the properties that decide it never change. */
function goesOn(above: OutputRow, row: OutputRow): boolean {
  return isResultOf(above, row) || streamsOn(above, row);
}

/** Reports whether an output is the result of the tool call above it: calls are made one after another. */
function isResultOf(above: OutputRow, row: OutputRow): boolean {
  const call = callID(above.value, "call");
  return call !== undefined && above.run === row.run && call === callID(row.value, "result");
}

/** Reports whether an output is of the same stream of the same run as the one above it, and equally late. */
function streamsOn(above: OutputRow, row: OutputRow): boolean {
  return (
    above.run === row.run &&
    above.late === row.late &&
    above.earlier === row.earlier &&
    above.value.kind === "stream" &&
    row.value.kind === "stream" &&
    above.value.stream === row.value.stream &&
    above.value.artifacts?.["text/plain"] === undefined
  );
}

/** Returns the row of a group of outputs; undefined while it has none. */
export function useJoined(ids: readonly OutputID[]): ShownRow | undefined {
  const { store } = useClient();
  const key = ids.join(" ");
  const made = useRef<Made>(undefined);
  const listen = useCallback(
    (f: () => void) => {
      const ends = key.split(" ").map((id) => store.listen(Store.outputKey(id), f));
      return () => ends.forEach((end) => end());
    },
    [store, key],
  );
  return useSyncExternalStore(listen, () => {
    const rows = key.split(" ").flatMap((id) => store.output(id) ?? []);
    if (rows.length <= 1) return rows[0];
    if (!made.current || made.current.rows.length !== rows.length || rows.some((row, i) => row !== made.current?.rows[i])) {
      made.current = join(rows, made.current);
    }
    return made.current.row;
  });
}

interface Made {
  readonly rows: readonly OutputRow[];
  readonly row: ShownRow;
  readonly text: string;
}

/** Joins rows. The log of the earlier row is updated by the difference. */
function join(rows: readonly OutputRow[], old: Made | undefined): Made {
  const texts = rows.map(({ log }) => log?.text() ?? "");
  const text = texts.join("");
  const last = rows[rows.length - 1] ?? rows[0];
  const first = rows[0];
  if (!first || !last) throw new Error("there is nothing to join");
  if (!last.log) return { rows, row: { ...first, result: last.value, revision: first.revision + last.revision }, text };
  const log = old?.row.log ?? new Log();
  const same = old ? commonLength(old.text, text) : 0;
  log.append((old?.text.length ?? 0) - same, text.slice(same));
  const { value } = last;
  const row: ShownRow = { ...first, value, log, revision: (old?.row.revision ?? 0) + 1, before: texts.slice(0, -1).join("") };
  return { rows, row, text };
}

function commonLength(a: string, b: string): number {
  if (b.startsWith(a)) return a.length;
  let n = 0;
  while (n < a.length && n < b.length && a.charCodeAt(n) === b.charCodeAt(n)) n++;
  return n;
}
