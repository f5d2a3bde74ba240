import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { bracketMatching, indentOnInput } from "@codemirror/language";
import { type Extension, Prec } from "@codemirror/state";
import { crosshairCursor, dropCursor, keymap, rectangularSelection } from "@codemirror/view";
import type { Client } from "../core/client.js";
import { completion, type Where } from "./completion.js";
import { inspection } from "./inspection.js";
import { boxKeys } from "./keys.js";
import { selection } from "./selection.js";
import { boxes } from "./theme.js";

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
 * What an editor needs from when somebody turns to it on. Most of a page's editors never do. It stays when the cell becomes
 * another kind, for an editor that is typed in must not lose the popup's state; whether to ask is asked each time.
 */
export function lazyExtensions(client: Client, where: () => Where | undefined): Extension {
  return [always, completion(client, where), inspection(client, where)];
}
