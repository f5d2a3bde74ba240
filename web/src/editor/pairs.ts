import { type ChangeSpec, EditorState, type Text, Transaction, type TransactionSpec } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

/**
 * The core counts UTF-16 code units, but refuses an edit that splits a surrogate pair. An input method that replaces one emoji
 * by another may make such a change, since two emoji can begin alike: the change is widened.
 */
export const wholePairs = EditorState.transactionFilter.of((tr) => {
  if (!tr.docChanged || tr.annotation(Transaction.remote) || !cuts(tr)) return tr;
  return widened(tr);
});

/** Normalises line ends and replaces lone surrogates before a text is pasted or dropped. */
export const cleanPaste = EditorView.clipboardInputFilter.of((text) => text.toWellFormed().replace(/\r\n?/g, "\n"));

function inPair(doc: Text, at: number): boolean {
  return at > 0 && at < doc.length && /^[\ud800-\udbff][\udc00-\udfff]$/.test(doc.sliceString(at - 1, at + 1));
}

function cuts(tr: Transaction): boolean {
  let found = false;
  tr.changes.iterChangedRanges((from, to) => {
    found ||= inPair(tr.startState.doc, from) || inPair(tr.startState.doc, to);
  });
  return found;
}

function widened(tr: Transaction): TransactionSpec {
  const doc = tr.startState.doc;
  const changes: ChangeSpec[] = [];
  tr.changes.iterChanges((from, to, _fromB, _toB, inserted) => {
    const start = inPair(doc, from) ? from - 1 : from;
    const end = inPair(doc, to) ? to + 1 : to;
    changes.push({ from: start, to: end, insert: doc.sliceString(start, from) + inserted.toString() + doc.sliceString(to, end) });
  });
  const userEvent = tr.annotation(Transaction.userEvent);
  return { changes, selection: tr.newSelection, effects: tr.effects, ...(userEvent !== undefined && { userEvent }) };
}
