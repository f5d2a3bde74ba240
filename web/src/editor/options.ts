import { indentUnit } from "@codemirror/language";
import { EditorState, type Extension, Prec } from "@codemirror/state";
import { EditorView, highlightSpecialChars, type KeyBinding, keymap, lineNumbers, placeholder } from "@codemirror/view";
import type { CellKind } from "../core/event.js";
import { languageTitle } from "../core/language.js";
import { grammarOf } from "../grammars/grammars.js";
import { bannersHeight } from "../ui/bannerLayer.js";
import { cleanPaste, wholePairs } from "./pairs.js";
import { highlight, theme } from "./theme.js";

/** EditorOptions are the options of an editor. They may change while it is mounted. */
export interface EditorOptions {
  readonly language: string;
  readonly kind: CellKind;
  readonly label: string;
  readonly readOnly: boolean;
  readonly lineNumbers?: boolean;
  readonly keymap: readonly KeyBinding[];
}

/**
 * The extensions of all editors. A line ends at "
 *
 * " and nowhere else, because positions count as the core counts them.
 */
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

/** Whether the text is code that the runtime can be asked about. */
export function isCode(kind: CellKind): boolean {
  return kind === "code" || kind === "sql";
}

/** Returns the extensions for options. The keys of the page take precedence over the editor's own. */
export function configured({ language, kind, readOnly, lineNumbers: numbers = false, keymap: keys }: EditorOptions): Extension {
  return [
    indentUnit.of(grammarOf(language).unit),
    EditorState.readOnly.of(readOnly),
    Prec.high(keymap.of(keys)),
    readOnly ? [] : placeholder(placeholderOf(kind, language)),
    isCode(kind) ? [] : EditorView.lineWrapping,
    numbers ? lineNumbers() : [],
  ];
}

function placeholderOf(kind: CellKind, language: string): string {
  if (kind === "ai") return "Question";
  return language === "markdown" ? "Markdown" : languageTitle(language) || "Text";
}

/** Reports whether two options have the same extensions. The label has none. */
export function sameOptions(a: EditorOptions, b: EditorOptions): boolean {
  return a.language === b.language && a.kind === b.kind && a.readOnly === b.readOnly && a.lineNumbers === b.lineNumbers && a.keymap === b.keymap;
}

/** Returns the attributes of the text for browsers and screen readers: prose is spell-checked and begins with capitals. */
export function attributes({ label, kind }: EditorOptions): Readonly<Record<string, string>> {
  // Tab is a key of the text, so Tab from outside skips it: Enter enters the text, and Escape leaves it.
  const always = { "aria-label": label, tabindex: "-1" };
  if (isCode(kind) || kind === "raw") return always;
  return { ...always, spellcheck: "true", autocorrect: "on", autocapitalize: "sentences" };
}
