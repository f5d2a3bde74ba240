import type { ViewUpdate } from "@codemirror/view";
import { Transaction } from "@codemirror/state";

/** Composed is what an input method made in a text: where it is, and what it was, one after the other. */
export interface Composed {
  readonly from: number;
  readonly to: number;
  readonly texts: readonly string[];
}

/** How many texts are kept, and how long they may be: more is never on its way to the core. */
const most = { texts: 100, length: 500 } as const;

/** Composition follows what an input method makes in a text. What follows at once, at its end, is part of it, for others may have seen any of it. */
export class Composition {
  #composed: Composed | undefined;
  #ended = true;

  /** Whether what was composed is in the text, and nothing more is. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The latest that was composed. */
  get composed(): Composed | undefined {
    return this.#composed;
  }

  begin(from: number, to: number, text: string): void {
    this.#ended = false;
    const before = this.#composed;
    if (!before || before.to !== from || from !== to || to - before.from > most.length) this.#composed = { from, to, texts: [text] };
  }

  end(): void {
    this.#ended = true;
  }

  took({ changes, docChanged, state, transactions }: ViewUpdate): void {
    if (this.#ended && this.#composed && this.#composed.to - this.#composed.from > most.length) this.#composed = undefined;
    if (!this.#composed || !docChanged) return;
    const { texts } = this.#composed;
    const from = changes.mapPos(this.#composed.from, -1);
    const to = changes.mapPos(this.#composed.to, 1);
    const text = state.doc.sliceString(from, to);
    if (text === texts.at(-1)) this.#composed = { from, to, texts };
    else if (transactions.some((tr) => tr.annotation(Transaction.remote))) this.#composed = this.#ended ? undefined : { from, to, texts: [text] };
    else this.#composed = { from, to, texts: [...texts.slice(1 - most.texts), text] };
  }
}
