import { binaryKinds, binaryTypes, textEndings } from "../../core/binary.js";
import { textOf } from "./prefer.js";

/** Reports whether values of a type are bytes in base64, as `artifact.IsBinary` of the core does. All others are text. */
function isBinary(type: string): boolean {
  const name = type.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (binaryKinds.includes(name.split("/", 1)[0] ?? "")) return !textEndings.some((ending) => name.endsWith(ending));
  return binaryTypes.includes(name);
}

/** Returns an output's value of a type as a file with the program's original content: types that are not known to be binary are text. */
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

/** Returns a file name for a type. */
export function fileName(type: string): string {
  const ending = endings.get(type) ?? (type.endsWith("json") ? "json" : (/\/([a-z0-9]{1,5})$/.exec(type)?.[1] ?? "bin"));
  return `output.${ending}`;
}
