import type { Json, Output } from "../../core/event.js";
import { Fields } from "../../lib/parse.js";

/** The types of an assistant's outputs, as spec/assistants.md has them. */
const types = {
  thinking: "application/vnd.quire.thinking+json",
  call: "application/vnd.quire.tool-call+json",
  result: "application/vnd.quire.tool-result+json",
  usage: "application/vnd.quire.usage+json",
} as const;

/** Part is the kind of an assistant's output that is no text. */
export type Part = keyof typeof types;

/** Returns which part of an assistant's answer an output is, if it is one that is no text, with its members. */
export function partOf(output: Output | undefined): { readonly part: Part; readonly value: Json } | undefined {
  for (const part of ["thinking", "call", "result", "usage"] as const) {
    const value = output?.data?.[types[part]];
    if (value !== undefined) return { part, value };
  }
  return undefined;
}

/** Returns the id of the tool call that an output has, or has the result of. */
export function callID(output: Output, part: "call" | "result"): string | undefined {
  const found = partOf(output);
  return found?.part === part ? new Fields(found.value).stringIfAny("id") : undefined;
}
