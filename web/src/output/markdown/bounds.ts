/** What some Markdown may have and still be shown as such: what a page of a book has many times over, and what a browser lays out in a moment. */
const longest = 300_000; // units of it
const mostElements = 30_000;
const deepest = 300; // elements within each other
const mostStyled = 50; // of those that each new paragraph begins again while they are not closed

const empty = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]);
const closedByOthers = new Set(["p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "colgroup", "caption", "rt", "rp", "option"]);
const styled = new Set(["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"]);

/** Returns why some Markdown is not shown as such; undefined if it is. */
export function tooMuchMarkdown(source: string): string | undefined {
  return source.length > longest ? "This text is too long to be shown as Markdown." : undefined;
}

/** Returns why the HTML that some Markdown became is not shown; undefined if it is. It takes time in proportion to the HTML. */
export function tooMuchHTML(html: string): string | undefined {
  let elements = 0;
  const open = new Map<string, number>();
  let [depth, styles] = [0, 0];
  for (const [, slash, written = ""] of html.matchAll(/<(\/?)([a-zA-Z][^\s/>]{0,20})/g)) {
    const name = written.toLowerCase();
    if (empty.has(name) || closedByOthers.has(name)) {
      if (slash === "") elements++;
    } else {
      const count = open.get(name) ?? 0;
      if (slash !== "" && count === 0) continue;
      const step = slash === "" ? 1 : -1;
      open.set(name, count + step);
      depth += step;
      if (styled.has(name)) styles += step;
      if (step > 0) elements++;
    }
    if (elements > mostElements) return "This text has too many parts to be shown as Markdown.";
    if (depth > deepest || styles > mostStyled) return "The parts of this text are too deep within each other for it to be shown as Markdown.";
  }
  return undefined;
}

/** Formulas is what the formulas of a text may be, each and together. */
export class Formulas {
  static readonly #longest = 3000; // units of one
  static readonly #own = 30; // units as which each counts besides
  #length = 40_000; // units that are left
  #nodes = 100_000;

  /** Reports whether a formula may be made. */
  take(source: string): boolean {
    if (source.length > Formulas.#longest || this.#length < 0) return false;
    this.#length -= source.length + Formulas.#own;
    return this.#length >= 0;
  }

  /** Returns how often names in it may stand for other text: what a formula defines by itself can be as long as it is. */
  static expansionsOf(source: string): number {
    return /\\(?:[gex]?def|let|futurelet|(?:re)?newcommand|providecommand|newenvironment)/.test(source) ? Math.min(1000, Math.floor(20_000 / source.length)) : 1000;
  }

  /** Reports whether what a formula became may be shown: a browser ends when elements are too deep within each other. */
  fits(root: Element): boolean {
    let depth = 0;
    for (let node: Node | null = root; node; ) {
      if (--this.#nodes < 0 || depth > deepest) return false;
      if (node.firstChild) {
        node = node.firstChild;
        depth++;
        continue;
      }
      while (node && node !== root && !node.nextSibling) {
        node = node.parentNode;
        depth--;
      }
      node = node === root ? null : (node?.nextSibling ?? null);
    }
    return true;
  }
}
