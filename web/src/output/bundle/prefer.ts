import type { Artifact, Json, Output } from "../../core/event.js";

/** Look is the way to render a type. */
export type Look = "image" | "svg" | "html" | "javascript" | "markdown" | "latex" | "json" | "text";

/** Shown is the chosen type of an output. */
export interface Shown {
  readonly look: Look;
  readonly type: string;
  readonly value: Json;
}

/** Stored is the chosen type of an output's artifacts. */
export interface Stored {
  readonly look: Look;
  readonly type: string;
  readonly artifact: Artifact;
}

/** The types that can be shown, the best first. A star stands for any beginning. */
const looks: readonly (readonly [type: string, look: Look])[] = [
  ["text/html", "html"],
  ["application/javascript", "javascript"],
  ["text/javascript", "javascript"],
  ["text/markdown", "markdown"],
  ["text/latex", "latex"],
  ["image/svg+xml", "svg"],
  ["image/png", "image"],
  ["image/jpeg", "image"],
  ["image/gif", "image"],
  ["image/webp", "image"],
  ["application/json", "json"],
  ["application/geo+json", "json"],
  ["text/plain", "text"],
  ["text/*", "text"],
  ["application/*+json", "json"], // meant for programs rather than readers
];

/** Returns the type of an output to show, or undefined if none can be shown. */
export function prefer(data: Output["data"] = {}): Shown | undefined {
  const types = Object.keys(data);
  for (const [pattern, look] of looks) {
    const type = types.find((name) => matches(name, pattern) && fits(look, data[name]));
    const value = type === undefined ? undefined : data[type];
    if (type !== undefined && value !== undefined) return { look, type, value };
  }
  return undefined;
}

/** Returns the type of an output's artifacts to show, undefined if a type in the log is as good or better. */
export function preferStored({ data, artifacts = {} }: Output): Stored | undefined {
  const inline = prefer(data);
  for (const [pattern, look] of looks) {
    if (inline && matches(inline.type, pattern)) return undefined;
    const found = Object.entries(artifacts).find(([name]) => matches(name, pattern));
    if (found) return { look, type: found[0], artifact: found[1] };
  }
  return undefined;
}

function matches(type: string, pattern: string): boolean {
  const name = type.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const [start = "", end] = pattern.split("*");
  return end === undefined ? name === pattern : name.startsWith(start) && name.endsWith(end);
}

/** All looks but JSON need text; a list of lines, as in files, is text too. */
function fits(look: Look, value: Json | undefined): boolean {
  return look === "json" ? value !== undefined : textOf(value) !== undefined;
}

/** Returns a value that is text or a list of lines. */
export function textOf(value: Json | undefined): string | undefined {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return undefined;
  return value.every((line) => typeof line === "string") ? value.join("") : undefined;
}
