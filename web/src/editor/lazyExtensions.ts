import { acceptCompletion, closeBrackets, closeBracketsKeymap, closeCompletion, completionStatus, currentCompletions } from "@codemirror/autocomplete";
import { bracketMatching, indentOnInput } from "@codemirror/language";
import { type Extension, Prec } from "@codemirror/state";
import { crosshairCursor, dropCursor, type EditorView, type KeyBinding, keymap, rectangularSelection } from "@codemirror/view";
import type { Client } from "../core/client.js";
import { completion, type Where } from "./completion.js";
import { hideInspection, inspection } from "./inspection.js";
import { selection } from "./selection.js";
import { boxes } from "./theme.js";

export { completionStatus, startCompletion } from "@codemirror/autocomplete";
export { inspect } from "./inspection.js";

/** The keys of the boxes that an editor opens. They take precedence over the keys of the page. */
const boxKeys: readonly KeyBinding[] = [
  { key: "Escape", run: hideInspection },
  { key: "Escape", run: stopAsking },
  { key: "Tab", run: acceptCompletion },
];

const always: Extension = [
  selection,
  dropCursor(),
  rectangularSelection(),
  crosshairCursor(),
  bracketMatching(),
  closeBrackets(),
  indentOnInput(),
  keymap.of(closeBracketsKeymap),
  Prec.highest(keymap.of(boxKeys)),
  boxes,
];

/**
 * The extensions that an editor gets on first use. Most of a page's editors never need them. They stay when the cell changes
 * its kind, because an editor in use must not lose the state of the popup; the place is asked for each time.
 */
export function lazyExtensions(client: Client, where: () => Where | undefined): Extension {
  return [always, completion(client, where), inspection(client, where)];
}

/** Stops a completion that is not shown yet. The key is passed on: it was not meant for that. */
function stopAsking(view: EditorView): boolean {
  if (completionStatus(view.state) === "pending" && currentCompletions(view.state).length === 0) closeCompletion(view);
  return false;
}
