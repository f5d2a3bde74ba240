/** The limits of rendered Markdown: a page of a book stays far below them, and a browser lays it out in a moment. */
const longest = 300_000; // units of it
const mostElements = 30_000;
const deepest = 300; // nested elements
const mostStyled = 50; // of the elements that each new paragraph reopens while they are not closed

const empty = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]);
const closedByOthers = new Set(["p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "colgroup", "caption", "rt", "rp", "option"]);
const styled = new Set(["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"]);

/** Returns the reason that Markdown is shown unrendered; undefined if it is rendered. */
export function tooMuchMarkdown(source: string): string | undefined {
  return source.length > longest ? "This text is too long to be shown as Markdown." : undefined;
}

/** Returns the reason that rendered HTML is not shown; undefined if it is. It takes time in proportion to the HTML. */
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

/** Formulas limits the formulas of a text, each and together. */
export class Formulas {
  static readonly #longest = 3000; // units of one
  static readonly #own = 30; // units that each formula counts besides
  #length = 40_000; // remaining units
  #nodes = 100_000;

  /** Reports whether a formula may be rendered. */
  take(source: string): boolean {
    if (source.length > Formulas.#longest || this.#length < 0) return false;
    this.#length -= source.length + Formulas.#own;
    return this.#length >= 0;
  }

  /** Returns the limit of macro expansions: what a formula defines can be as long as the formula. */
  static expansionsOf(source: string): number {
    return /\\(?:[gex]?def|let|futurelet|(?:re)?newcommand|providecommand|newenvironment)/.test(source)
      ? Math.min(1000, Math.floor(20_000 / source.length))
      : 1000;
  }

  /** Reports whether a rendered formula may be shown: a browser crashes on elements that are nested too deep. */
  fits(root: Element): boolean {
    let depth = 0;
    for (let node: Node | null = root; node;) {
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
