import { ChangeSet, type ChangeSpec } from "@codemirror/state";
import type { Edit } from "../core/event.js";

/** Returns changes of an editor's text as the core writes them: an insertion before a deletion at its place. */
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

/** Returns an edit as changes of a text of so many units. Throws when it does not fit. */
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

/** Returns what turns one text into another: one change, of all between what both begin and end with. */
export function difference(before: string, after: string): ChangeSet {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const change = { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
  return ChangeSet.of(change, before.length, "\n");
}

/** Returns by how much an edit makes a text longer. */
export function grows(edit: Edit): number {
  return edit.reduce<number>((sum, step) => sum + (typeof step === "string" ? step.length : Math.min(step, 0)), 0);
}

/** Returns the changes that take pieces of a text away. */
export function toCuts(pieces: readonly { readonly from: number; readonly to: number }[], length: number): ChangeSet {
  return ChangeSet.of(pieces.map(({ from, to }) => ({ from, to })), length, "\n");
}

/** Returns changes that follow one another, the first of a text with a length, as one. */
export function together(changes: readonly ChangeSet[], length: number): ChangeSet {
  return changes.reduce((all, next) => all.compose(next), ChangeSet.empty(length));
}
