import type { Artifact, Json, Output } from "../../core/event.js";

/** Look is how a type is shown. */
export type Look = "image" | "svg" | "html" | "javascript" | "markdown" | "latex" | "json" | "text";

/** Shown is the one of an output's types that is shown. */
export interface Shown {
  readonly look: Look;
  readonly type: string;
  readonly value: Json;
}

/** Stored is the one that is shown, of those that lie outside the notebook's log. */
export interface Stored {
  readonly look: Look;
  readonly type: string;
  readonly artifact: Artifact;
}

/** What can be shown, the best first. A type is named, or ends in what follows the star. */
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
  ["application/*+json", "json"], // says more to a program that is not here than to people
];

/** Returns which of an output's types is shown, or undefined if none can be. */
export function prefer(data: Output["data"] = {}): Shown | undefined {
  const types = Object.keys(data);
  for (const [pattern, look] of looks) {
    const type = types.find((name) => matches(name, pattern) && fits(look, data[name]));
    const value = type === undefined ? undefined : data[type];
    if (type !== undefined && value !== undefined) return { look, type, value };
  }
  return undefined;
}

/** Returns the type of an output's artifacts that is shown, undefined if what is in the log is as good or better. */
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

/** All but JSON is text; lists of lines, as files have them, are text too. */
function fits(look: Look, value: Json | undefined): boolean {
  return look === "json" ? value !== undefined : textOf(value) !== undefined;
}

/** Returns a value that is text, or is a list of lines. */
export function textOf(value: Json | undefined): string | undefined {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return undefined;
  return value.every((line) => typeof line === "string") ? value.join("") : undefined;
}
