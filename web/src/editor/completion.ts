import { autocompletion, type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import type { Client } from "../core/client.js";
import type { CellID, Json } from "../core/event.js";
import type { Place } from "../core/protocol.js";
import { Fields } from "../lib/parse.js";

/** The cell of an editor, and its language. */
export interface Where {
  readonly cell: CellID;
  readonly language: string;
}

/** CodeMirror's icons for the kinds of candidates. */
const icons: Readonly<Record<string, string>> = {
  attribute: "property",
  class: "class",
  function: "function",
  keyword: "keyword",
  magic: "keyword",
  method: "method",
  module: "namespace",
  name: "variable",
  parameter: "variable",
  param: "variable",
  path: "text",
  property: "property",
  variable: "variable",
};

/** Asks the runtime for completions: on request, and after a dot. Without a place it does not ask. */
export function completion(client: Client, where: () => Where | undefined): Extension {
  const source = (context: CompletionContext): Promise<CompletionResult | null> | null => {
    const place = where();
    return place ? complete(client, place, context) : null;
  };
  return autocompletion({ override: [source], maxRenderedOptions: 200 });
}

/** Returns the completions at the caret. Without an answering runtime there are none. */
export async function complete(client: Client, where: Where, context: CompletionContext): Promise<CompletionResult | null> {
  if (!context.explicit && !context.matchBefore(/\.\w*/)) return null;
  const stop = new AbortController();
  context.addEventListener("abort", () => stop.abort());
  const place: Place = { ...where, source: context.state.doc.toString(), cursor: context.pos };
  try {
    return resultOf(await client.call("complete", place, stop.signal), context.pos);
  } catch {
    return null;
  }
}

function resultOf(json: Json, at: number): CompletionResult | null {
  const fields = new Fields(json);
  const [from, to] = [fields.number("start"), fields.number("end")];
  const options = fields.list("items").map(optionOf);
  if (from < 0 || from > at || options.length === 0) return null;
  return { from, options, validFor: /^[\w.%]*$/, ...(to > at && { to }) };
}

/** The runtime lists the best candidate first. Its order decides between candidates that match equally well. */
function optionOf(json: Json, index: number): Completion {
  const fields = new Fields(json);
  const detail = fields.stringIfAny("type");
  const type = icons[fields.stringIfAny("kind") ?? ""];
  return { label: fields.string("text"), boost: Math.max(-99, 99 - index), ...(detail && { detail }), ...(type && { type }) };
}
