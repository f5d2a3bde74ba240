/** Color is one of the sixteen colours of a terminal, which the theme defines, or an RGB colour. */
export type Color = number | readonly [number, number, number];

/** Style is a terminal's text style, with a link. Equal styles need not be the same object. */
export interface Style {
  readonly color?: Color;
  readonly background?: Color;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly inverse?: boolean;
  readonly strike?: boolean;
  readonly href?: string;
}

/** Span is text in one style. */
export interface Span {
  readonly text: string;
  readonly style: Style;
}

/** The default style. */
export const plainStyle: Style = {};

// A control sequence, a command to the terminal, a string to it, another escape, or a control character. An escape
// that has no end is itself taken away, never the text after it. Each part ends at the next escape, so that the
// time is proportional to the text.
const sequence =
  // oxlint-disable-next-line no-control-regex
  /(?:\x1b\[|\x9b)([0-?]*)[ -/]*([@-~])|\x1b\]([^\x07\x1b]*)(?:\x07|\x1b\\)|\x1b[PX^_][^\x1b]*\x1b\\|\x1b[ -/]*[0-~]?|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]/g;

/** Returns text without control sequences and other characters that a terminal does not show. */
export function withoutSequences(text: string): string {
  return text.replace(sequence, "");
}

/** Returns the style after a text that begins in a style. */
export function styleAfter(text: string, style: Style): Style {
  if (!mayHaveSequence(text)) return style;
  let now = style;
  for (const match of text.matchAll(sequence)) now = follow(match, now);
  return now;
}

/** Splits a text that begins in a style into non-empty spans, and returns the style after it. */
export function parseLine(text: string, style: Style): { readonly spans: readonly Span[]; readonly style: Style } {
  const spans: Span[] = [];
  let at = 0;
  let now = style;
  for (const match of text.matchAll(sequence)) {
    if (match.index > at) spans.push({ text: text.slice(at, match.index), style: now });
    at = match.index + match[0].length;
    now = follow(match, now);
  }
  if (at < text.length) spans.push({ text: text.slice(at), style: now });
  return { spans, style: now };
}

function mayHaveSequence(text: string): boolean {
  return text.includes("\x1b") || text.includes("\x9b");
}

function follow([, parameters, final, command]: RegExpMatchArray, style: Style): Style {
  if (command !== undefined) return link(command, style);
  if (final !== "m" || parameters === undefined || /[<=>?]/.test(parameters)) return style;
  return rendition(parameters, style);
}

/** Handles OSC 8, which begins and ends links. Only web addresses become links. */
function link(command: string, style: Style): Style {
  const found = /^8;[^;]*;(.*)$/s.exec(command);
  if (!found) return style;
  const { href: _, ...rest } = style;
  const href = webAddress(found[1] ?? "");
  return href === undefined ? rest : { ...rest, href };
}

/** Returns the full form of a web address; undefined for other text. */
export function webAddress(text: string): string | undefined {
  const url = URL.parse(text);
  return url && (url.protocol === "http:" || url.protocol === "https:") ? url.href : undefined;
}

/** Handles "select graphic rendition". */
function rendition(parameters: string, style: Style): Style {
  // A colour is written 38;2;r;g;b, or as one parameter with parts: 38:2::r:g:b.
  const groups = parameters.split(";").map((group) => group.split(":").map((part) => (part === "" ? 0 : Number(part))));
  let now = style;
  for (let i = 0; i < groups.length; i++) {
    const [code = 0, ...parts] = groups[i] ?? [];
    if (code !== 38 && code !== 48 && code !== 58) {
      now = simple(code, parts, now);
      continue;
    }
    const inline = parts.length > 0;
    const rest = inline ? parts : groups.slice(i + 1).map(([first = 0]) => first);
    if (!inline) i += rest[0] === 2 ? 4 : rest[0] === 5 ? 2 : 0;
    now = withColor(code, extended(rest, inline), now);
  }
  return now;
}

function withColor(code: number, color: Color | undefined, style: Style): Style {
  if (color === undefined || code === 58) return style;
  return code === 38 ? { ...style, color } : { ...style, background: color };
}

/** Returns the colour of 5;n or 2;r;g;b. */
function extended([kind, ...values]: readonly number[], inline: boolean): Color | undefined {
  if (kind === 5) return indexed(values[0] ?? 0);
  if (kind !== 2) return undefined;
  const [red = 0, green = 0, blue = 0] = inline && values.length > 3 ? values.slice(1) : values; // after the colour space
  return [byte(red), byte(green), byte(blue)];
}

function byte(value: number): number {
  return Math.min(255, Math.max(0, Math.trunc(value) || 0));
}

/** Returns one of the 256 colours: the sixteen, a cube of 6 × 6 × 6, and greys. */
function indexed(value: number): Color {
  const index = byte(value);
  if (index < 16) return index;
  if (index >= 232) return [8 + (index - 232) * 10, 8 + (index - 232) * 10, 8 + (index - 232) * 10];
  const level = (n: number) => (n === 0 ? 0 : 55 + n * 40);
  return [level(Math.trunc((index - 16) / 36)), level(Math.trunc((index - 16) / 6) % 6), level((index - 16) % 6)];
}

function simple(code: number, [part]: readonly number[], style: Style): Style {
  if (code >= 30 && code <= 37) return { ...style, color: code - 30 };
  if (code >= 90 && code <= 97) return { ...style, color: code - 90 + 8 };
  if (code >= 40 && code <= 47) return { ...style, background: code - 40 };
  if (code >= 100 && code <= 107) return { ...style, background: code - 100 + 8 };
  switch (code) {
    case 0:
      return style.href === undefined ? plainStyle : { href: style.href };
    case 1:
      return { ...style, bold: true };
    case 2:
      return { ...style, dim: true };
    case 3:
      return { ...style, italic: true };
    case 4:
      return { ...style, underline: part !== 0 };
    case 7:
      return { ...style, inverse: true };
    case 9:
      return { ...style, strike: true };
    case 21:
      return { ...style, underline: true };
    case 22:
      return { ...style, bold: false, dim: false };
    case 23:
      return { ...style, italic: false };
    case 24:
      return { ...style, underline: false };
    case 27:
      return { ...style, inverse: false };
    case 29:
      return { ...style, strike: false };
    case 39:
      return without(style, "color");
    case 49:
      return without(style, "background");
    default:
      return style;
  }
}

function without(style: Style, name: "color" | "background"): Style {
  const { [name]: _, ...rest } = style;
  return rest;
}
