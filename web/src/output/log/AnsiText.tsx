import { type CSSProperties, useContext } from "react";
import { JumpContext } from "../context/jump.js";
import type { Color, Span, Style } from "./ansi.js";
import styles from "./AnsiText.module.css";
import type { Found, Part } from "./spans.js";
import { partsOf } from "./spans.js";

interface Props {
  readonly spans: readonly Span[];
  readonly found?: readonly Found[] | undefined;
}

/** Text with a terminal's styles. Addresses are links, and references to cells lead there. */
export function AnsiText({ spans, found }: Props) {
  const jump = useContext(JumpContext);
  return partsOf(spans, found).map((part, i) => {
    const { piece } = part;
    const props = { className: classOf(part), style: cssOf(part.style), children: part.text };
    if (piece.kind === "link") return <a key={i} {...props} href={piece.href} target="_blank" rel="noopener noreferrer" title={piece.href} />;
    if (piece.kind === "place" && jump) return <button key={i} type="button" {...props} onClick={() => jump({ count: piece.count, line: piece.line })} />;
    return part.found ? <mark key={i} {...props} /> : <span key={i} {...props} />;
  });
}

function classOf({ style, piece, found }: Part): string {
  const names = [found, style.bold && "bold", style.dim && "dim", style.italic && "italic"];
  if (piece.kind === "place") names.push("place");
  if (style.underline) names.push(style.strike ? "both" : "underline");
  else if (style.strike) names.push("strike");
  return names
    .map((name) => (name ? styles[name] : ""))
    .filter(Boolean)
    .join(" ");
}

function cssOf({ color, background, inverse }: Style): CSSProperties | undefined {
  if (color === undefined && background === undefined && !inverse) return undefined;
  if (inverse) return { color: fill(background) ?? "var(--surface)", background: fill(color) ?? "var(--ink)" };
  if (background === undefined) return { color: ink(color) };
  return { color: fill(color) ?? (isLight(background) ? "#111" : "#fff"), background: fill(background) };
}

/** A colour of text on the page's background, adjusted until it is readable. */
function ink(color: Color | undefined): string | undefined {
  if (color === undefined || typeof color === "number") return color === undefined ? undefined : `var(--ansi-${color})`;
  const from = `oklch(from rgb(${color.join(" ")})`;
  return `light-dark(${from} min(l, 0.52) c h), ${from} max(l, 0.72) c h))`;
}

/** An unchanged colour, beside another that the program chose. */
function fill(color: Color | undefined): string | undefined {
  if (color === undefined) return undefined;
  return typeof color === "number" ? `var(--ansi-fill-${color})` : `rgb(${color.join(" ")})`;
}

const lightOnes: readonly number[] = [2, 3, 6, 7, 10, 11, 14, 15];

function isLight(color: Color): boolean {
  if (typeof color === "number") return lightOnes.includes(color);
  const [red, green, blue] = color;
  return red * 0.299 + green * 0.587 + blue * 0.114 > 140;
}
