import { Fields } from "../../lib/parse.js";

/** Returns the arguments of a tool call as text: a member a line, or the text that the model wrote if it is no object. */
export function argumentsOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .map(([name, member]) => `${name}: ${typeof member === "string" ? member : JSON.stringify(member)}`)
    .join("\n");
}

/** Returns the lines that a call replaces and those that it puts in their place, or undefined if it replaces no text. */
export function editOf(value: unknown): string | undefined {
  const fields = new Fields(value);
  const before = fields.stringIfAny("old");
  const after = fields.stringIfAny("new");
  if (before === undefined || after === undefined) return undefined;
  return [...marked("-", before), ...marked("+", after)].join("\n");
}

function marked(sign: string, text: string): readonly string[] {
  return text === ""
    ? []
    : text
        .replace(/\n$/, "")
        .split("\n")
        .map((line) => sign + line);
}
