import { markdown } from "@codemirror/lang-markdown";

/** The grammar of Markdown with its keys: Enter goes on with a list. */
export const markdownGrammar = markdown({ completeHTMLTags: false });
