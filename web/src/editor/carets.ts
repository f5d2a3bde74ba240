import { type Extension, type Range, StateEffect } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate, WidgetType } from "@codemirror/view";
import type { Client } from "../core/client.js";
import type { CellID, ClientID } from "../core/event.js";
import { color, nameOf } from "../core/people.js";

/** Caret is another user's position in a cell. */
interface Caret {
  readonly client: ClientID;
  readonly name: string;
  readonly color: string;
  readonly anchor: number;
  readonly head: number;
}

const moved = StateEffect.define<readonly Caret[]>();

/** Shows the carets of others in the cell, and publishes the position of this user. */
export function carets(client: Client, cell: CellID): Extension {
  const others = ViewPlugin.define((view) => new Others(view, client, cell), { decorations: (plugin) => plugin.shown });
  return [others, EditorView.updateListener.of((update) => tell(client, cell, update)), look];
}

function tell(client: Client, cell: CellID, { view, state, selectionSet, docChanged, focusChanged }: ViewUpdate): void {
  if (!view.hasFocus || !(selectionSet || docChanged || focusChanged)) return;
  const { anchor, head } = state.selection.main;
  client.present({ cell, anchor, head });
}

/** Others keeps the carets of other users at their places in the text until they report a move. */
class Others {
  shown: DecorationSet = Decoration.none;
  readonly #stop: () => void;
  readonly #client: Client;
  readonly #cell: CellID;
  #said = "[]";

  constructor(view: EditorView, client: Client, cell: CellID) {
    this.#client = client;
    this.#cell = cell;
    this.#show(this.#here(), view.state.doc.length);
    this.#stop = client.store.listen("peers", () => this.#peersMoved(view));
  }

  update(update: ViewUpdate): void {
    if (update.docChanged) this.shown = this.shown.map(update.changes);
    for (const tr of update.transactions) {
      for (const effect of tr.effects) if (effect.is(moved)) this.#show(effect.value, update.state.doc.length);
    }
  }

  destroy(): void {
    this.#stop();
  }

  #peersMoved(view: EditorView): void {
    const here = this.#here();
    const said = JSON.stringify(here);
    if (said === this.#said) return;
    view.dispatch({ effects: moved.of(here) });
  }

  #here(): readonly Caret[] {
    const found: Caret[] = [];
    for (const { client, actor, presence, self } of this.#client.store.peers()) {
      const { cell, head, anchor = head, name } = presence;
      if (self || cell !== this.#cell || head === undefined || anchor === undefined) continue;
      found.push({ client, name: nameOf(actor, name), color: color(actor), anchor, head });
    }
    return found;
  }

  #show(here: readonly Caret[], length: number): void {
    this.#said = JSON.stringify(here);
    this.shown =
      here.length === 0
        ? Decoration.none
        : Decoration.set(
            here.flatMap((caret) => drawn(caret, length)),
            true,
          );
  }
}

/** A position refers to the text that the other user saw, so it may lie beyond the end of this one. */
function drawn(caret: Caret, length: number): readonly Range<Decoration>[] {
  const [anchor, head] = [Math.min(caret.anchor, length), Math.min(caret.head, length)];
  const line = Decoration.widget({ widget: new CaretWidget(caret), side: head < anchor ? -1 : 1 }).range(head);
  if (anchor === head) return [line];
  const tint = Decoration.mark({ class: "cm-peerSelection", attributes: { style: `--peer: ${caret.color}` } });
  return [tint.range(Math.min(anchor, head), Math.max(anchor, head)), line];
}

class CaretWidget extends WidgetType {
  readonly #caret: Caret;

  constructor(caret: Caret) {
    super();
    this.#caret = caret;
  }

  override eq(other: CaretWidget): boolean {
    const [a, b] = [this.#caret, other.#caret];
    return a.client === b.client && a.name === b.name && a.head === b.head && a.anchor === b.anchor;
  }

  override toDOM(): HTMLElement {
    const dom = document.createElement("span");
    dom.className = "cm-peerCaret";
    dom.setAttribute("aria-hidden", "true");
    dom.style.setProperty("--peer", this.#caret.color);
    const flag = dom.appendChild(document.createElement("span"));
    flag.className = "cm-peerName";
    flag.textContent = this.#caret.name;
    return dom;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}

/** The name is shown for a moment after its owner moved, and under the pointer. */
const look = EditorView.theme({
  ".cm-peerSelection": { background: "color-mix(in srgb, var(--peer) 22%, transparent)" },
  ".cm-peerCaret": { position: "relative", borderLeft: "2px solid var(--peer)", marginLeft: "-1px", marginRight: "-1px" },
  ".cm-peerName": {
    position: "absolute",
    bottom: "100%",
    left: "-2px",
    zIndex: "1",
    padding: "0 var(--space-1)",
    borderRadius: "3px 3px 3px 0",
    font: "600 var(--text-1)/1.35 var(--font-ui)",
    whiteSpace: "nowrap",
    maxWidth: "16ch",
    overflow: "hidden",
    textOverflow: "ellipsis",
    color: "var(--bg)",
    background: "var(--peer)",
    pointerEvents: "none",
    userSelect: "none",
    opacity: "0",
    animation: "cm-peerName 2.4s ease-in",
  },
  "@media (forced-colors: active)": {
    ".cm-peerCaret": { borderLeft: "3px dotted" },
    ".cm-peerName": { color: "CanvasText", background: "Canvas", border: "1px solid" },
    ".cm-peerSelection": { outline: "1px dotted" },
  },
  ".cm-line:first-child .cm-peerName": { bottom: "auto", top: "100%", borderRadius: "0 3px 3px 3px" },
  ".cm-peerCaret:hover .cm-peerName": { opacity: "1" },
  "@keyframes cm-peerName": { "0%, 70%": { opacity: "1" }, "100%": { opacity: "0" } },
});
