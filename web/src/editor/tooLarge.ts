import { type ChangeSet, EditorState, type Extension, Transaction } from "@codemirror/state";
import { maxMessage } from "../core/protocol.js";

/** The size of a message without the text of its edit, generously. */
const beside = 64 << 10;

/** Refuses a paste or drop larger than a message: the core could never take it, nor any edit after it. */
export function withoutTooLarge(refused: () => void): Extension {
  return EditorState.transactionFilter.of((tr) => {
    if (!tr.docChanged || tr.annotation(Transaction.remote) || fits(tr.changes)) return tr;
    queueMicrotask(refused);
    return [];
  });
}

function fits(changes: ChangeSet): boolean {
  let text = "";
  changes.iterChanges((_fromA, _toA, _fromB, _toB, inserted) => {
    text += inserted.toString();
  });
  const most = maxMessage - beside;
  if (text.length * 6 <= most) return true; // a unit has six bytes at most
  return text.length <= most && new TextEncoder().encode(JSON.stringify(text)).length <= most;
}
