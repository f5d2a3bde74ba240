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
 * The extensions that an editor gets on first use. Most of a page's editors never need them. They stay when the cell changes
 * its kind, because an editor in use must not lose the state of the popup; the place is asked for each time.
 */
export function lazyExtensions(client: Client, where: () => Where | undefined): Extension {
  return [always, completion(client, where), inspection(client, where)];
}
