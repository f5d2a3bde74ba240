import type { MarkdownIt } from "markdown-it";

type InlineRule = Parameters<MarkdownIt["inline"]["ruler"]["push"]>[1];
type BlockRule = Parameters<MarkdownIt["block"]["ruler"]["push"]>[1];

/** Parses formulas: $…$, $$…$$, LaTeX's own \begin{…} and code in the language "math". They become readable code that KaTeX replaces. */
export function formulas(md: MarkdownIt): void {
  md.inline.ruler.before("escape", "formula", inline);
  md.block.ruler.before("fence", "formula", block, { alt: ["paragraph", "reference", "blockquote", "list"] });
  const { escapeHtml } = md.utils;
  md.renderer.rules["formula"] = (tokens, i) => {
    const { content = "", block: isBlock = false, info = "" } = tokens[i] ?? {};
    if (isBlock) return `<pre class="math-block">${escapeHtml(content)}</pre>\n`;
    return `<code class="${info === "$$" ? "math-display" : "math-inline"}">${escapeHtml(content)}</code>`;
  };
}

const inline: InlineRule = (state, silent) => {
  const { src, pos } = state;
  if (src[pos] !== "$") return false;
  const mark = src[pos + 1] === "$" ? "$$" : "$";
  const start = pos + mark.length;
  const end = endOf(src, start, mark);
  if (end < 0 || end >= state.posMax) return false;
  if (!silent) {
    const token = state.push("formula", "", 0);
    token.content = src.slice(start, end).trim();
    token.info = mark;
  }
  state.pos = end + mark.length;
  return true;
};

/**
 * Returns the end of the formula that begins here, or -1: a price such as $5 is none. So the first sign has no space after it,
 * and the last has none before it and no digit after it.
 */
function endOf(src: string, start: number, mark: string): number {
  if (mark === "$" && /^\s|^$/.test(src.slice(start, start + 1))) return -1;
  for (let at = src.indexOf(mark, start); at >= 0; at = src.indexOf(mark, at + 1)) {
    if (isEscaped(src, at)) continue;
    if (src.slice(start, at).trim() === "") return -1;
    if (mark === "$$") return at;
    return /\s/.test(src[at - 1] ?? "") || /\d/.test(src[at + 1] ?? "") ? -1 : at;
  }
  return -1;
}

function isEscaped(src: string, at: number): boolean {
  let slashes = 0;
  while (src[at - slashes - 1] === "\\") slashes++;
  return slashes % 2 === 1;
}

const mostLines = 500; // of a formula: without an end each line that begins one is searched through

const block: BlockRule = (state, startLine, endLine, silent) => {
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
  const lineAt = (line: number) => state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line] ?? 0);
  const first = lineAt(startLine);
  const environment = /^\\begin\{([a-zA-Z]+\*?)\}/.exec(first)?.[1];
  const mark = first.startsWith("$$") ? "$$" : environment === undefined ? undefined : `\\end{${environment}}`;
  if (mark === undefined) return false;
  const opening = mark === "$$" ? first.slice(2) : first;
  if (mark === "$$" && /\$\$.*\S/.test(opening)) return false; // the line has more than a formula
  const lines = [opening];
  let line = startLine;
  while (!(lines.at(-1) ?? "").trimEnd().endsWith(mark)) {
    line++;
    if (line >= endLine || line - startLine > mostLines || (state.sCount[line] ?? 0) < state.blkIndent) return false;
    lines.push(lineAt(line));
  }
  if (silent) return true;
  const content = lines.join("\n").trimEnd();
  const token = state.push("formula", "", 0);
  token.block = true;
  token.content = (mark === "$$" ? content.slice(0, -2) : content).trim();
  token.map = [startLine, line + 1];
  state.line = line + 1;
  return true;
};
