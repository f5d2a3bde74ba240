import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";

const style = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.controlKeyword], color: "var(--syntax-keyword)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.inserted], color: "var(--syntax-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.escape, tags.special(tags.variableName)], color: "var(--syntax-number)" },
  { tag: [tags.comment, tags.meta, tags.processingInstruction], color: "var(--syntax-comment)" },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName), tags.definition(tags.className), tags.macroName, tags.labelName], color: "var(--syntax-name)" },
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
