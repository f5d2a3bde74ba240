import { indentUnit } from "@codemirror/language";
import { EditorState, type Extension, Prec } from "@codemirror/state";
import { EditorView, highlightSpecialChars, type KeyBinding, keymap, lineNumbers, placeholder } from "@codemirror/view";
import type { CellKind } from "../core/event.js";
import { bannersHeight } from "../ui/bannerLayer.js";
import { highlight } from "./highlight.js";
import { languageOf } from "./languages.js";
import { cleanPaste, wholePairs } from "./pairs.js";
import { theme } from "./theme.js";

/** EditorOptions is what an editor is like. It may change while the editor is there. */
export interface EditorOptions {
  readonly language: string;
  readonly kind: CellKind;
  readonly label: string;
  readonly readOnly: boolean;
  readonly lineNumbers?: boolean;
  readonly keymap: readonly KeyBinding[];
}

/** What all editors have. A line ends at "\n" and nowhere else: positions count as the core counts them. */
export const common: Extension = [
  EditorState.lineSeparator.of("\n"),
  EditorState.allowMultipleSelections.of(true),
  EditorView.clickAddsSelectionRange.of((event) => event.altKey),
  highlightSpecialChars(),
  EditorView.scrollMargins.of(() => ({ bottom: bannersHeight() })),
  highlight,
  theme,
  cleanPaste,
  wholePairs,
];

/** Whether the text is code that the runtime may be asked about. */
export function isCode(kind: CellKind): boolean {
  return kind === "code" || kind === "sql";
}

/** Returns what makes an editor be as it should. The keys of the page come before its own. */
export function configured({ language, kind, readOnly, lineNumbers: numbers = false, keymap: keys }: EditorOptions): Extension {
  const { title, unit } = languageOf(language);
  return [
    indentUnit.of(unit),
    EditorState.readOnly.of(readOnly),
    Prec.high(keymap.of(keys)),
    readOnly ? [] : placeholder(kind === "ai" ? "Question" : title),
    isCode(kind) ? [] : EditorView.lineWrapping,
    numbers ? lineNumbers() : [],
  ];
}

/** Reports whether an editor of the one options must be set up anew for the other. The label is no part of that. */
export function sameOptions(a: EditorOptions, b: EditorOptions): boolean {
  return a.language === b.language && a.kind === b.kind && a.readOnly === b.readOnly && a.lineNumbers === b.lineNumbers && a.keymap === b.keymap;
}

/** Returns the attributes of the text for browsers and screen readers: prose is spelled and begins with capitals. */
export function attributes({ label, kind }: EditorOptions): Readonly<Record<string, string>> {
  // Tab is a key of the text, so that Tab from outside passes it by: Enter goes in, and Escape out.
  const always = { "aria-label": label, tabindex: "-1" };
  if (isCode(kind) || kind === "raw") return always;
  return { ...always, spellcheck: "true", autocorrect: "on", autocapitalize: "sentences" };
}
