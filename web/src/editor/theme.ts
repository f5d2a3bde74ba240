import { EditorView } from "@codemirror/view";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";

/** A shade at the edge of a line that continues beyond it; it disappears at the end of the scroll range. */
const edge = {
  backgroundImage:
    "linear-gradient(to left, var(--ground, var(--surface)) 30%, transparent), linear-gradient(to left, color-mix(in srgb, var(--ink) 18%, transparent), transparent)",
  backgroundPosition: "right, right",
  backgroundSize: "28px 100%, 12px 100%",
  backgroundAttachment: "local, scroll",
  backgroundRepeat: "no-repeat",
} as const;

/** The look of an editor. The cell around it has the border and the background. */
export const theme = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "transparent", fontSize: "var(--code-size)" },
  "&.cm-focused": { outline: "none" }, // the cell shows the focus
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "var(--code-line)", overflowX: "auto", borderRadius: "calc(var(--radius-1) - 1px)", ...edge },
  ".cm-content": { padding: "var(--space-2) 0", caretColor: "var(--ink)", fontVariantLigatures: "none" },
  ".cm-line": { padding: "0 var(--space-3)" },
  ".cm-placeholder": { color: "var(--ink-3)" },
  ".cm-cursor, .cm-dropCursor": { borderLeft: "2px solid var(--ink)", marginLeft: "-1px" },
  ".cm-selectionBackground": { background: "var(--surface-2)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": { background: "color-mix(in srgb, var(--accent) 28%, transparent)" },
  ".cm-content ::selection": { backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent)" },
  ".cm-gutters": { background: "transparent", border: "none", color: "var(--ink-3)" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 var(--space-1) 0 var(--space-2)", minWidth: "2.5ch" },
  "&.cm-focused .cm-matchingBracket": { background: "none", outline: "1px solid var(--line-strong)" },
  "&.cm-focused .cm-nonmatchingBracket": { background: "none", color: "var(--error)" },
  ".cm-specialChar": { color: "var(--error)" },
  ".cm-searchMatch": { background: "var(--busy-soft)", outline: "1px solid var(--busy)" },
  ".cm-searchMatch-selected": { background: "var(--accent-soft)", outline: "2px solid var(--accent)" },
  ".cm-selectionMatch": { background: "var(--surface-2)" },
});

/** The look of the boxes of an editor: completion, inspection, search. */
export const boxes = EditorView.theme({
  ".cm-tooltip": {
    color: "var(--ink)",
    background: "var(--surface)",
    border: "1px solid var(--line)",
    borderRadius: "var(--radius-1)",
    boxShadow: "var(--shadow)",
    zIndex: "var(--layer-tip)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    fontFamily: "var(--font-mono)",
    fontSize: "var(--code-size)",
    maxHeight: "16em",
    maxWidth: "min(40rem, 90vw)",
    padding: "var(--space-1) 0",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { display: "flex", alignItems: "baseline", padding: "2px var(--space-2)", lineHeight: "var(--code-line)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    color: "var(--ink)",
    background: "var(--accent-soft)",
    outline: "2px solid var(--chosen)",
    outlineOffset: "-2px",
  },
  ".cm-completionIcon": { color: "var(--ink-3)", width: "1.4em", paddingRight: "var(--space-1)", opacity: "1" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700", color: "var(--accent)" },
  ".cm-completionDetail": {
    color: "var(--ink-3)",
    fontStyle: "normal",
    marginLeft: "auto",
    paddingLeft: "var(--space-4)",
    overflow: "hidden",
    textOverflow: "ellipsis",
  },
  ".cm-inspection": {
    maxWidth: "min(44rem, 90vw)",
    maxHeight: "20em",
    overflow: "auto",
    padding: "var(--space-2) var(--space-3)",
    fontFamily: "var(--font-mono)",
    fontSize: "var(--code-size)",
    lineHeight: "var(--code-line)",
    whiteSpace: "pre-wrap",
    overflowWrap: "break-word",
  },
  ".cm-inspection > p": { margin: "0" },
  ".cm-inspection > p + p": { color: "var(--ink-2)", marginTop: "var(--space-2)", paddingTop: "var(--space-2)", borderTop: "1px solid var(--line)" },
  ".cm-panels": { color: "var(--ink)", background: "var(--surface-2)", borderRadius: "var(--radius-1)" },
  ".cm-panels.cm-panels-bottom": { borderTop: "1px solid var(--line)" },
  ".cm-panel.cm-search": { fontFamily: "var(--font-ui)", padding: "var(--space-2) var(--space-3)" },
  ".cm-panel.cm-search label": { fontSize: "var(--text-1)" },
  ".cm-textfield": {
    color: "var(--ink)",
    background: "var(--surface)",
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--radius-1)",
    fontSize: "var(--text-2)",
    padding: "var(--space-1) var(--space-2)",
  },
  ".cm-button": {
    color: "var(--ink)",
    background: "var(--surface)",
    backgroundImage: "none",
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--radius-1)",
    fontSize: "var(--text-1)",
    padding: "var(--space-1) var(--space-2)",
  },
});

const style = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.controlKeyword], color: "var(--syntax-keyword)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.inserted], color: "var(--syntax-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.escape, tags.special(tags.variableName)], color: "var(--syntax-number)" },
  { tag: [tags.comment, tags.meta, tags.processingInstruction], color: "var(--syntax-comment)" },
  {
    tag: [tags.function(tags.variableName), tags.function(tags.propertyName), tags.definition(tags.className), tags.macroName, tags.labelName],
    color: "var(--syntax-name)",
  },
  { tag: [tags.typeName, tags.className, tags.namespace, tags.tagName, tags.attributeName, tags.standard(tags.variableName)], color: "var(--syntax-type)" },
  { tag: [tags.link, tags.url], color: "var(--syntax-name)", textDecoration: "underline" },
  { tag: tags.heading, fontWeight: "700" },
  { tag: tags.strong, fontWeight: "700" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: [tags.invalid, tags.deleted], color: "var(--error)" },
]);

/** Syntax highlighting in the colours of the page. */
export const highlight = syntaxHighlighting(style);
