import { highlightSelectionMatches, openSearchPanel, search, searchKeymap, selectNextOccurrence } from "@codemirror/search";
import { type Extension, Prec, StateEffect } from "@codemirror/state";
import { type EditorView, keymap } from "@codemirror/view";

/** The search extensions, added to an editor on first use. */
const searching: Extension = [search(), highlightSelectionMatches(), Prec.low(keymap.of(searchKeymap))];

/** Opens the search of an editor. */
export function find(view: EditorView): void {
  begin(view);
  openSearchPanel(view);
}

/** Adds the next occurrence of the selected text to the selection. */
export function selectNext(view: EditorView): void {
  begin(view);
  selectNextOccurrence(view);
}

const begun = new WeakSet<EditorView>();

function begin(view: EditorView): void {
  if (begun.has(view)) return;
  begun.add(view);
  view.dispatch({ effects: StateEffect.appendConfig.of(searching) });
}
