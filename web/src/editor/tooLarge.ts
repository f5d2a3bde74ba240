import { type ChangeSet, EditorState, type Extension, Transaction } from "@codemirror/state";
import { maxMessage } from "../core/protocol.js";

/** What a message has beside the text of an edit, with room to spare. */
const beside = 64 << 10;

/** Leaves out what is pasted or dropped and is more than a message can hold: the core would take it never, nor what follows it. */
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
  if (text.length * 6 <= most) return true; // a unit is six bytes at most
  return text.length <= most && new TextEncoder().encode(JSON.stringify(text)).length <= most;
}
