import { markdown } from "@codemirror/lang-markdown";

/** The grammar of Markdown with its keys: Enter continues a list. */
export const markdownGrammar = markdown({ completeHTMLTags: false });
