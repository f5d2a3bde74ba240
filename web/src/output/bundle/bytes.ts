import { textOf } from "./prefer.js";

/** The types whose values are bytes in base64, as `artifact.IsBinary` of the core has them. All others are text. */
const binary = /^(?:(?:image|audio|video|font)\/(?!.*\+(?:json|xml)$)|application\/(?:pdf|octet-stream)$)/;

function isBinary(type: string): boolean {
  return binary.test(type.split(";", 1)[0]?.trim().toLowerCase() ?? "");
}

/** Returns what an output has of a type as a file, which is what the program gave: of a type that is not known to be bytes it is text. */
export function blobOf(type: string, value: unknown): Blob {
  const text = textOf(value);
  if (text === undefined) return new Blob([JSON.stringify(value, null, 2)], { type });
  const bytes = isBinary(type) ? decoded(text) : undefined;
  return new Blob([bytes ?? text], { type });
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64.replace(/\s/g, "")), (c) => c.charCodeAt(0));
  } catch {
    return undefined; // it is text after all
  }
}

const endings: ReadonlyMap<string, string> = new Map([
  ["text/plain", "txt"],
  ["text/html", "html"],
  ["text/markdown", "md"],
  ["text/latex", "tex"],
  ["text/csv", "csv"],
  ["image/svg+xml", "svg"],
  ["image/jpeg", "jpg"],
  ["application/javascript", "js"],
]);

/** Returns a name for a file of a type. */
export function fileName(type: string): string {
  const ending = endings.get(type) ?? (type.endsWith("json") ? "json" : (/\/([a-z0-9]{1,5})$/.exec(type)?.[1] ?? "bin"));
  return `output.${ending}`;
}
