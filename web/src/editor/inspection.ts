import { type EditorState, type Extension, StateEffect, StateField } from "@codemirror/state";
import { EditorView, hoverTooltip, showTooltip, type Tooltip } from "@codemirror/view";
import type { Client } from "../core/client.js";
import type { Json } from "../core/event.js";
import type { Place } from "../core/protocol.js";
import { Fields } from "../lib/parse.js";
import type { Where } from "./completion.js";

/** The shown description of a name. */
interface Known {
  readonly signature: string;
  readonly text: string;
}

const show = StateEffect.define<Tooltip | null>();

/** The box opened by a key. It closes when the user types or moves the caret. */
const shown = StateField.define<Tooltip | null>({
  create: () => null,
  update(tooltip, tr) {
    for (const effect of tr.effects) if (effect.is(show)) return effect.value;
    return tr.docChanged || tr.selection ? null : tooltip;
  },
  provide: (field) => showTooltip.from(field),
});

/** Shows the runtime's description of a name under the resting pointer, or at the caret when {@link inspect} is called. */
export function inspection(client: Client, where: () => Where | undefined): Extension {
  const ask = async (view: EditorView, pos: number): Promise<Tooltip | null> => {
    const place = where();
    return place ? tooltip(await known(client, place, view.state, pos), wordStart(view.state, pos)) : null;
  };
  const hover = hoverTooltip(ask, { hoverTime: 500, hideOnChange: true });
  return [shown, hover];
}

/** Shows the runtime's description of the name at the caret, unless the caret moves before the answer. */
export async function inspect(client: Client, where: Where, view: EditorView): Promise<void> {
  const { state } = view;
  const at = state.selection.main.head;
  const box = tooltip(await known(client, where, state, at), wordStart(state, at));
  if (view.state.doc === state.doc && view.state.selection.eq(state.selection)) view.dispatch({ effects: show.of(box) });
}

/** Closes the box of {@link inspect}. Reports whether there was one. */
export function hideInspection(view: EditorView): boolean {
  if (!view.state.field(shown, false)) return false;
  view.dispatch({ effects: show.of(null) });
  return true;
}

/** Asks the runtime. Without a runtime or a result there is nothing to show. */
async function known(client: Client, where: Where, state: EditorState, cursor: number): Promise<Known | undefined> {
  if (state.doc.length === 0) return undefined;
  const place: Place = { ...where, source: state.doc.toString(), cursor };
  try {
    return knownOf(await client.call("inspect", place));
  } catch {
    return undefined;
  }
}

function knownOf(json: Json): Known | undefined {
  const fields = new Fields(json);
  if (!fields.boolean("found")) return undefined;
  const signature = fields.stringIfAny("signature") ?? "";
  const text = textOf(json);
  return signature || text ? { signature, text } : undefined;
}

function textOf(json: Json): string {
  const data = new Fields(typeof json === "object" && json !== null && "data" in json ? json.data : undefined);
  return withoutColours(data.stringIfAny("text/plain") ?? data.stringIfAny("text/markdown") ?? "").trim();
}

/** Some runtimes colour their text for terminals. */
function withoutColours(text: string): string {
  return text
    .split("\u001b")
    .map((part, i) => (i === 0 ? part : part.replace(/^\[[\d;]*m/, "")))
    .join("");
}

function wordStart(state: EditorState, pos: number): number {
  return state.wordAt(pos)?.from ?? pos;
}

function tooltip(about: Known | undefined, pos: number): Tooltip | null {
  if (!about) return null;
  return { pos, above: true, create: () => ({ dom: box(about) }) };
}

function box({ signature, text }: Known): HTMLElement {
  const dom = document.createElement("div");
  dom.className = "cm-inspection";
  dom.setAttribute("role", "status");
  for (const part of [signature, text]) {
    if (part === "") continue;
    dom.appendChild(document.createElement("p")).textContent = part;
  }
  return dom;
}
