/** Weight is the cost of painting a picture. */
export interface Weight {
  /** The painted shapes, counting each use of a referenced shape. */
  readonly shapes: number;
  /** It has parts whose cost does not depend on their number: effects, patterns, motion, pictures within. */
  readonly isHard: boolean;
}

const deepest = 200; // nested elements, and nested uses
const perShape = 200; // units of an attribute, such as a path, that count as one more shape
const reference = /#([^"')\s]+)/g;
const hardElement = /^(?:fe[A-Z]|(?:filter|mask|pattern|marker|foreignObject|animate|animateMotion|animateTransform|animateColor|set)$)/;
const hardText =
  /<!ENTITY|@import|@keyframes|\banimation\b|\btransition\b|\bfilter\s*:|backdrop|mix-blend|data:image\/svg|stroke-dasharray\s*[:=]\s*["']?\s*0?\.0/i;

/**
 * Returns the cost of painting an SVG, which a file of two thousand letters can make arbitrarily large. It takes time in
 * proportion to the file, and is never below the true cost in a browser.
 */
export function weightOf(svg: string): Weight {
  const isHard = hardText.test(svg);
  const found = new Elements();
  for (const tag of tagsOf(svg)) {
    if (tag.closes) found.close();
    else if (!found.open(tag)) return { shapes: Number.POSITIVE_INFINITY, isHard: true };
  }
  return { shapes: found.shapes(), isHard: isHard || found.isHard };
}

/** Tag is a start or end tag: its name without a prefix, and its raw attributes. */
interface Tag {
  readonly name: string;
  readonly attributes: string;
  readonly closes: boolean;
  readonly isEmpty: boolean;
}

/** Iterates over the tags of a file. A syntax error ends it, as it ends a browser's parser. */
function* tagsOf(svg: string): Iterable<Tag> {
  for (let at = svg.indexOf("<"); at >= 0;) {
    const skipped = endOfOther(svg, at);
    if (skipped !== undefined) {
      at = svg.indexOf("<", skipped);
      continue;
    }
    const end = endOfTag(svg, at + 1);
    if (end < 0) return;
    const closes = svg[at + 1] === "/";
    const isEmpty = svg[end - 1] === "/";
    const inside = svg.slice(at + (closes ? 2 : 1), isEmpty ? end - 1 : end);
    const name = /^[^\s/]*/.exec(inside)?.[0] ?? "";
    yield { name: name.slice(name.indexOf(":") + 1), attributes: inside.slice(name.length), closes, isEmpty };
    at = svg.indexOf("<", end);
  }
}

const others = [
  ["<!--", "-->"],
  ["<![CDATA[", "]]>"],
  ["<?", "?>"],
  ["<!", ">"],
] as const;

/** Returns the end of a comment or similar that begins here; undefined if none does. */
function endOfOther(svg: string, at: number): number | undefined {
  for (const [begin, close] of others) {
    if (!svg.startsWith(begin, at)) continue;
    const end = svg.indexOf(close, at + begin.length);
    return end < 0 ? svg.length : end + close.length;
  }
  return undefined;
}

/** Returns the end of a tag, whose values may hold any character; -1 if it has none. */
function endOfTag(svg: string, start: number): number {
  for (let at = start; at < svg.length; at++) {
    const sign = svg[at];
    if (sign === ">") return at;
    if (sign !== '"' && sign !== "'") continue;
    at = svg.indexOf(sign, at + 1);
    if (at < 0) return -1;
  }
  return -1;
}

/** Part is an element that others may use: its own shapes, and the names of its uses. */
interface Part {
  shapes: number;
  readonly uses: string[];
}

/** Elements are the elements of a file, as far as they matter for painting. */
class Elements {
  readonly #all: Part = { shapes: 0, uses: [] };
  readonly #named = new Map<string, Part>();
  readonly #open: (Part | undefined)[] = [];
  readonly #known = new Map<string, number>();
  isHard = false;

  /** Takes a tag, and reports whether the nesting is within the limit. */
  open({ name, attributes, isEmpty }: Tag): boolean {
    const id = /(?:^|\s)(?:xml:)?id\s*=\s*["']([^"']*)/.exec(attributes)?.[1];
    const own: Part | undefined = id === undefined ? undefined : (this.#named.get(id) ?? { shapes: 0, uses: [] });
    if (id !== undefined && own) this.#named.set(id, own);
    this.isHard ||= hardElement.test(name) || (attributes.includes("#") && attributes.includes("&#"));
    const shapes = 1 + Math.floor(attributes.length / perShape);
    const uses = [...attributes.matchAll(reference)].flatMap(([, used]) => (used === undefined ? [] : [used]));
    for (const part of [this.#all, own, ...this.#open]) {
      if (!part) continue;
      part.shapes += shapes;
      part.uses.push(...uses);
    }
    if (!isEmpty) this.#open.push(own);
    return this.#open.length <= deepest;
  }

  close(): void {
    this.#open.pop();
  }

  shapes(): number {
    return this.#cost(this.#all, 0);
  }

  #cost(part: Part, depth: number): number {
    if (depth > deepest) return Number.POSITIVE_INFINITY;
    return part.uses.reduce((sum, name) => sum + this.#costOf(name, depth + 1), part.shapes);
  }

  /** Returns the cost of one use of an element. A browser ignores recursive uses. */
  #costOf(name: string, depth: number): number {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const part = this.#named.get(name);
    if (!part) return 0;
    this.#known.set(name, 0);
    const cost = this.#cost(part, depth);
    this.#known.set(name, cost);
    return cost;
  }
}
