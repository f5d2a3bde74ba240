import type { Error as Failure } from "../core/event.js";
import { blobOf, fileName } from "./bundle/bytes.js";
import { prefer, textOf } from "./bundle/prefer.js";
import type { ShownRow } from "./joined.js";
import { withoutSequences } from "./log/ansi.js";

/** Returns the text of an output, if it has any. */
export function plainOf({ value, log, result }: ShownRow): string {
  if (result) return [textOf(value.data?.["text/plain"]), textOf(result.data?.["text/plain"])].join("\n");
  if (log) return value.kind === "stream" ? withoutSequences(log.text()) : log.text();
  if (value.error) return plainError(value.error);
  const plain = textOf(value.data?.["text/plain"]);
  if (plain !== undefined) return withoutSequences(plain);
  const shown = prefer(value.data);
  if (!shown || shown.look === "image") return "";
  return textOf(shown.value) ?? JSON.stringify(shown.value, null, 2);
}

function plainError({ name, message, trace = [] }: Failure): string {
  const head = message === "" ? name : `${name}: ${message}`;
  const lines = trace.map(withoutSequences);
  return lines.at(-1)?.startsWith(name) ? lines.join("\n") : [...lines, head].join("\n");
}

/** Returns an output as a file, or undefined if its content is not here. */
export function fileOf(row: ShownRow): { readonly blob: Blob; readonly name: string } | undefined {
  const { value } = row;
  if (row.log || value.error) return textFile(value.kind === "markdown" ? "text/markdown" : "text/plain", plainOf(row));
  const shown = prefer(value.data);
  return shown && { blob: blobOf(shown.type, shown.value), name: fileName(shown.type) };
}

function textFile(type: string, text: string): { readonly blob: Blob; readonly name: string } {
  return { blob: blobOf(type, text), name: fileName(type) };
}
