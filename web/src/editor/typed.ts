import { Transaction } from "@codemirror/state";

/** Typed is a change made by typing, reduced to the facts that decide the grouping of undo. */
export interface Typed {
  readonly kind: "type" | "backward" | "forward";
  /** The place of the change before it, and of the caret after it. */
  readonly from: number;
  readonly to: number;
  readonly caret: number;
  /** The number of carets. */
  readonly ranges: number;
  readonly time: number;
  readonly composed: boolean;
  /** It began a line. */
  readonly newline: boolean;
}

/** Milliseconds after which typing starts another undo step. */
const pause = 500;

/** Returns the typing of a transaction; undefined for any other change. */
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

/** Reports whether one undo step holds both changes. */
export function joins(before: Typed | undefined, now: Typed | undefined): boolean {
  if (!before || !now || before.kind !== now.kind || before.ranges !== now.ranges) return false;
  return !before.newline && now.time - before.time < pause && adjacent(before.caret, now);
}

/** Transforms a typed change over changes of another user. */
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
      return to === caret && (from === to || composed); // a composition replaces its earlier text
    case "backward":
      return to === caret;
    case "forward":
      return from === caret;
  }
}
