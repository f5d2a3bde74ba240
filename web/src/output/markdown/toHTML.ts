import MarkdownIt from "markdown-it";
import taskLists from "markdown-it-task-lists";
import { formulas } from "./formulas.js";

const picture = /^(?:data:image\/(?:png|jpeg|gif|webp|svg\+xml)[;,]|blob:|attachment:)/i;
const address = /^(?:https?:|mailto:|#)/i;

const md = new MarkdownIt({ html: true, linkify: true }).use(taskLists).use(formulas);
md.linkify.set({ fuzzyLink: false }); // main.py is not an address, though .py is a top-level domain
md.validateLink = (url) => picture.test(url.trim()) || address.test(url.trim());
const { escapeHtml } = md.utils;

const { fence, image, ...rules } = md.renderer.rules;
md.renderer.rules.fence = (tokens, i, ...rest) => {
  const token = tokens[i];
  if (token?.info.trim() === "math") return `<pre class="math-block">${escapeHtml(token.content.trim())}</pre>\n`;
  return fence?.(tokens, i, ...rest) ?? "";
};

/** A picture of another host becomes a link to it: opening a notebook contacts no other host. */
md.renderer.rules.image = (tokens, i, ...rest) => {
  const token = tokens[i];
  const source = String(token?.attrGet("src") ?? "");
  if (!token || !/^https?:/i.test(source)) return image?.(tokens, i, ...rest) ?? "";
  const text = token.content === "" ? source : token.content;
  return `<a href="${escapeHtml(source)}">${escapeHtml(text)}</a>`;
};

/** The parser aligns cells by a style, which is removed. */
for (const name of ["th_open", "td_open"] as const) {
  const rule = rules[name];
  md.renderer.rules[name] = (tokens, i, options, env, self) => {
    const token = tokens[i];
    const align = /text-align:(left|center|right)/.exec(String(token?.attrGet("style") ?? ""))?.[1];
    if (token && align !== undefined) token.attrs = [["align", align]];
    return rule ? rule(tokens, i, options, env, self) : self.renderToken(tokens, i, options);
  };
}

/** A heading gets an id from its text, as links to it expect. */
md.core.ruler.push("names", ({ tokens }) => {
  const seen = new Map<string, number>();
  tokens.forEach((token, i) => {
    if (token.type !== "heading_open") return;
    const name = nameOf(tokens[i + 1]?.content ?? "");
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    token.attrSet("id", count === 0 ? name : `${name}-${count}`);
  });
});

function nameOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
}

/** Converts Markdown to HTML, which may contain anything that its author wrote. */
export function toHTML(source: string): string {
  return md.render(source);
}
