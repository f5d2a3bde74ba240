import { Transaction } from "@codemirror/state";

/** Typed is one change that a person made by typing, as far as it matters for what undo takes back at once. */
export interface Typed {
  readonly kind: "type" | "backward" | "forward";
  /** Where the change was, before it, and where it left the caret. */
  readonly from: number;
  readonly to: number;
  readonly caret: number;
  /** How many carets there were. */
  readonly ranges: number;
  readonly time: number;
  readonly composed: boolean;
  /** It began a line. */
  readonly newline: boolean;
}

/** Milliseconds after which typing is something new. */
const pause = 500;

/** Returns what was typed with a transaction, and undefined for one that did anything else. */
export function typedOf(tr: Transaction): Typed | undefined {
  const kind = kindOf(tr);
  if (!kind || !tr.docChanged) return undefined;
  let last = { from: 0, to: 0 };
  let newline = false;
  let ranges = 0;
  tr.changes.iterChanges((from, to, _fromB, _toB, inserted) => {
    last = { from, to };
    newline ||= inserted.lines > 1;
    ranges++;
  });
  const caret = tr.newSelection.ranges.at(-1)?.head ?? 0;
  const composed = tr.isUserEvent("input.type.compose");
  return { kind, ...last, caret, ranges, time: tr.annotation(Transaction.time) ?? 0, composed, newline };
}

/** Reports whether undo should take back what was typed together with what was typed before. */
export function joins(before: Typed | undefined, now: Typed | undefined): boolean {
  if (!before || !now || before.kind !== now.kind || before.ranges !== now.ranges) return false;
  return !before.newline && now.time - before.time < pause && adjacent(before.caret, now);
}

/** Returns what was typed as it stands after somebody else's changes. */
export function movedOver(typed: Typed, tr: Transaction): Typed {
  return { ...typed, caret: tr.changes.mapPos(typed.caret, -1) };
}

function kindOf(tr: Transaction): Typed["kind"] | undefined {
  if (tr.isUserEvent("input.type")) return "type";
  if (tr.isUserEvent("delete.backward")) return "backward";
  return tr.isUserEvent("delete.forward") ? "forward" : undefined;
}

function adjacent(caret: number, { kind, from, to, composed }: Typed): boolean {
  switch (kind) {
    case "type":
      return to === caret && (from === to || composed); // a composition replaces what it has so far
    case "backward":
      return to === caret;
    case "forward":
      return from === caret;
  }
}
