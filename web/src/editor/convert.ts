import { ChangeSet, type ChangeSpec } from "@codemirror/state";
import type { Edit } from "../core/event.js";

/** Converts changes of an editor's text to the core's form: an insertion comes before a deletion at the same place. */
export function toEdit(changes: ChangeSet): Edit {
  const edit: (number | string)[] = [];
  let at = 0;
  changes.iterChanges((from, to, _fromB, _toB, inserted) => {
    if (from > at) edit.push(from - at);
    if (inserted.length > 0) edit.push(inserted.sliceString(0, inserted.length, "\n"));
    if (to > from) edit.push(from - to);
    at = to;
  });
  return edit;
}

/** Converts an edit to changes of a text of a length. Throws when it does not fit. */
export function toChanges(edit: Edit, length: number): ChangeSet {
  const specs: ChangeSpec[] = [];
  let at = 0;
  for (const part of edit) {
    if (typeof part === "string") specs.push({ from: at, insert: part });
    else if (part > 0) at += part;
    else {
      specs.push({ from: at, to: at - part });
      at -= part;
    }
  }
  return ChangeSet.of(specs, length, "\n");
}

/** Returns the change from one text to another: a single one, between their common beginning and their common end. */
export function difference(before: string, after: string): ChangeSet {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const change = { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
  return ChangeSet.of(change, before.length, "\n");
}

/** Returns the growth of a text by an edit. */
export function grows(edit: Edit): number {
  return edit.reduce<number>((sum, step) => sum + (typeof step === "string" ? step.length : Math.min(step, 0)), 0);
}

/** Returns changes that delete pieces of a text. */
export function toCuts(pieces: readonly { readonly from: number; readonly to: number }[], length: number): ChangeSet {
  return ChangeSet.of(
    pieces.map(({ from, to }) => ({ from, to })),
    length,
    "\n",
  );
}

/** Composes successive changes, the first of a text of a length. */
export function together(changes: readonly ChangeSet[], length: number): ChangeSet {
  return changes.reduce((all, next) => all.compose(next), ChangeSet.empty(length));
}
