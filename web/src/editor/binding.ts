import { collab, getSyncedVersion, receiveUpdates, sendableUpdates, type Update } from "@codemirror/collab";
import { type ChangeSet, EditorState, type Extension, Text as Doc, Transaction, type TransactionSpec } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { Client } from "../core/client.js";
import type { CellID } from "../core/event.js";
import { Store, type TextMove } from "../core/store.js";
import type { Joined, Text, TextUpdate } from "../core/view.js";
import { difference, toChanges, toCuts, toEdit, together } from "./convert.js";
import type { Source } from "./follow.js";
import { partsOf, type Piece, typedHere } from "./here.js";
import { Arrivals, type Follower, type Ground, type Landing } from "./landing.js";
import { joins, movedOver, type Typed, typedOf } from "./typed.js";
import { DetachedViewPort, type ViewPort } from "./viewPort.js";

/** Waiter waits until the core has everything that was typed before the waiter came. */
interface Waiter {
  /** The last change that the core did not have at that moment. */
  readonly after: Transaction | undefined;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

/** Step is updates that come together, and the move of text made by the last of them. */
interface Step {
  readonly updates: readonly TextUpdate[];
  readonly move: TextMove;
  readonly arrivals: Arrivals | undefined;
}

/**
 * Binding synchronises an editor's text with the core's. Typed text is pushed at once, one push after the other; updates
 * of others are applied to the editor, transformed over the unsent changes. After its editor is removed the binding
 * continues until the core has everything.
 *
 * Text that others move to another cell takes along the text typed in it, and the caret.
 *
 * The text may come from the server first, before there is a core. Typed text then waits for the core, whose text comes
 * as a whole and is handled like the text of a restarted core.
 */
export class Binding {
  /** Part of the state of the editor that the binding is attached to. */
  readonly extension: Extension;
  readonly #client: Client;
  readonly #cell: CellID;
  readonly #name: string;
  readonly #onTrouble: (message: string | undefined) => void;
  readonly #ground: Ground;
  readonly #joined = new WeakSet<Transaction>();
  readonly #stop: readonly (() => void)[];
  #viewPort: ViewPort | undefined;
  /** The text at the editor's synced version. */
  #base: Text;
  /** The pieces of the text that were typed here. */
  #here: readonly Piece[] = [];
  /** The difference between the core's version and collab's, which cannot be set. */
  #shift = 0;
  /** The version after the last accepted push; its updates may be still to come. */
  #taken: number;
  /** The version of the last rejected push: updates of others are still to come. */
  #behind = -1;
  #pushing = false;
  /** Counts restarts of the core. Answers from before a restart are ignored. */
  #era = 0;
  #held: Step[] = [];
  /** The store's text after the last updates. */
  #seen: Text | undefined;
  /** The text was replaced as a whole since, and is still to be shown. */
  #whole = false;
  #last: Typed | undefined;
  #failure: Error | undefined;
  #waiters: Waiter[] = [];
  /** Removes the question before leaving the page. */
  #free: (() => void) | undefined;

  constructor(client: Client, cell: CellID, text: Text, onTrouble: (message: string | undefined) => void = () => {}, follower?: Follower) {
    this.#client = client;
    this.#cell = cell;
    this.#base = text;
    this.#seen = text;
    this.#taken = text.version;
    this.#onTrouble = onTrouble;
    this.#ground = { client, follower, change: (there, at, changes) => change(client, there, at, changes) };
    this.#name = crypto.getRandomValues(new Uint32Array(2)).join("-");
    this.extension = [collab({ startVersion: text.version, clientID: this.#name }), EditorView.updateListener.of((update) => this.took(update.transactions))];
    this.#stop = [
      client.onText(cell, (updates, move) => this.#receive(updates, move)),
      client.store.listen(Store.textKey(cell), () => queueMicrotask(() => this.#compare())),
    ];
  }

  /** Attaches an editor whose state has the text that the binding was created with, and the extension. */
  attach(viewPort: ViewPort): void {
    this.#viewPort = viewPort;
  }

  /** Detaches the editor. Unsent changes are still sent. */
  detach(): void {
    if (!this.#viewPort) return;
    this.#viewPort = new DetachedViewPort(this.#viewPort.state);
    this.settle();
    this.#pump();
  }

  /**
   * Resolves when the core has everything that was typed before the call; rejects when the core refuses it. Text that is typed
   * later is sent after a command that the caller gives at once: a command is about the text at the moment of its key, and an
   * undo takes back nothing that was typed after it.
   */
  async flush(): Promise<void> {
    this.#failure = undefined;
    this.#last = undefined;
    await new Promise<void>((resolve, reject) => {
      this.#waiters.push({ after: this.#viewPort && sendableUpdates(this.#viewPort.state).at(-1)?.origin, resolve, reject });
      this.#pump();
    });
  }

  /** The origin of the edits of an undo commanded here. The caret goes to them, and not to edits of others. */
  get undoName(): string {
    return `${this.#name} undoes`;
  }

  /** Records the transactions of the editor. */
  took(transactions: readonly Transaction[]): void {
    let typed = false;
    for (const tr of transactions) {
      if (tr.annotation(Transaction.remote)) {
        if (this.#last) this.#last = movedOver(this.#last, tr);
      } else if (tr.docChanged) {
        this.#note(tr);
        typed = true;
      }
    }
    if (!typed) return;
    this.#failure = undefined;
    this.#pump();
  }

  /** Shows the updates that were held back during a composition, if it has ended. */
  settle(): void {
    const viewPort = this.#viewPort;
    if (!viewPort || viewPort.composing) return;
    const whole = this.#whole;
    for (const step of this.#held.splice(0)) {
      if (whole) step.arrivals?.end();
      else this.#follow(viewPort, step);
    }
    const text = this.#client.store.text(this.#cell);
    if (text && (this.#whole || text.version !== this.#version(viewPort))) this.#restart(viewPort, text);
  }

  #note(tr: Transaction): void {
    const now = typedOf(tr);
    if (joins(this.#last, now)) this.#joined.add(tr);
    this.#last = now;
  }

  #version(viewPort: ViewPort): number {
    return getSyncedVersion(viewPort.state) + this.#shift;
  }

  #pump(): void {
    const viewPort = this.#viewPort;
    if (!viewPort || this.#pushing || this.#failure) return;
    const version = Math.max(this.#version(viewPort), this.#taken);
    const unsent = sendableUpdates(viewPort.state).slice(version - this.#version(viewPort));
    if (unsent.length === 0) return this.#done();
    if (!this.#client.store.live()) {
      this.#free ??= askBeforeLeaving(); // the text is nowhere but here
      return;
    }
    this.#letGo();
    const [waiter] = this.#waiters;
    const before = waiter ? unsent.findIndex(({ origin }) => origin === waiter.after) + 1 : unsent.length;
    if (waiter && before === 0) return this.#giveWay(waiter);
    if (version === this.#behind) return;
    this.#pushing = true;
    void this.#push(version, this.#together(unsent.slice(0, before)));
  }

  /** Resolves a waiter before anything that was typed after it is sent. */
  #giveWay(waiter: Waiter): void {
    const era = this.#era;
    this.#waiters.shift();
    this.#pushing = true;
    waiter.resolve();
    setTimeout(() => {
      if (era !== this.#era) return;
      this.#pushing = false;
      this.#pump();
    });
  }

  /** Returns the first updates that form one undo step: they go in one push. */
  #together<U extends { readonly origin: Transaction }>(unsent: readonly U[]): readonly U[] {
    const next = unsent.findIndex(({ origin }, i) => i > 0 && !this.#joined.has(origin));
    return next < 0 ? unsent : unsent.slice(0, next);
  }

  async #push(version: number, updates: ReturnType<typeof sendableUpdates>): Promise<void> {
    const era = this.#era;
    const edits = updates.map((update) => toEdit(update.changes));
    const join = updates[0] !== undefined && this.#joined.has(updates[0].origin);
    try {
      const taken = await this.#client.push({ cell: this.#cell, version, by: this.#name, edits, ...(join && { join }) });
      if (era !== this.#era) return;
      if (taken) this.#taken = version + edits.length;
      else this.#behind = version;
      this.#onTrouble(undefined);
    } catch (reason) {
      if (era !== this.#era) return;
      this.#fail(reason instanceof Error ? reason : new Error(String(reason)));
    }
    this.#pushing = false;
    this.#pump();
  }

  #done(): void {
    for (const { resolve } of this.#waiters.splice(0)) resolve();
    this.#end();
  }

  #fail(reason: Error): void {
    this.#failure = reason;
    this.#free ??= askBeforeLeaving();
    this.#onTrouble(reason.message);
    for (const { reject } of this.#waiters.splice(0)) reject(reason);
    this.#end();
  }

  #end(): void {
    if (this.#viewPort instanceof DetachedViewPort) for (const stop of this.#stop) stop();
  }

  #receive(updates: readonly TextUpdate[], move: TextMove = {}): void {
    this.#seen = this.#client.store.text(this.#cell);
    this.#held.push({ updates, move, arrivals: this.#viewPort && move.moved && new Arrivals(this.#ground, move.moved) });
    this.settle();
  }

  /** Applies updates, and lets typed text follow the move made by the last of them. */
  #follow(viewPort: ViewPort, { updates, move: { moved, joined }, arrivals }: Step): void {
    const last = updates.at(-1);
    if (arrivals && moved?.deleted) {
      this.#deliver(viewPort, updates);
      arrivals.begin(this.#source(viewPort), undefined);
    } else if (arrivals && last) {
      this.#deliver(viewPort, updates.slice(0, -1));
      if (last.version !== this.#version(viewPort)) return arrivals.end(); // from before the text was replaced
      const { cuts } = arrivals.begin(this.#source(viewPort), last.edit);
      this.#deliver(viewPort, [last]);
      if (cuts.length > 0) this.#change(viewPort, { changes: toCuts(cuts, viewPort.state.doc.length) });
    } else this.#deliver(viewPort, updates);
    if (joined) this.#mend(viewPort, joined);
  }

  #source(viewPort: ViewPort): Source {
    const head = viewPort instanceof DetachedViewPort ? undefined : viewPort.state.selection.main.head;
    return { text: this.#base.source, typed: this.#unsent(viewPort), head, here: this.#here };
  }

  /** Returns the unsent changes, as changes of the core's text. */
  #unsent(viewPort: ViewPort): ChangeSet {
    return together(
      sendableUpdates(viewPort.state).map(({ changes }) => changes),
      this.#base.source.length,
    );
  }

  #change(viewPort: ViewPort, spec: TransactionSpec): void {
    const tr = viewPort.state.update(spec);
    viewPort.dispatch(tr);
    if (viewPort instanceof DetachedViewPort) this.took([tr]);
  }

  /** Puts the text typed here at the end before the text that others joined to it meanwhile. */
  #mend(viewPort: ViewPort, { at, length }: Joined): void {
    const {
      doc,
      selection: {
        main: { head },
      },
    } = viewPort.state;
    const unsent = this.#unsent(viewPort);
    const [from, to] = [unsent.mapPos(at, 1), unsent.mapPos(at + length, -1)];
    const pieces = partsOf({ from: to, to: doc.length }, typedHere(this.#here, unsent, true)).filter(({ within }) => within);
    if (pieces.length === 0 || head < to || !this.#ground.follower?.follows(this.#cell)) return;
    const insert = pieces.reduce((text, piece) => text.append(doc.slice(piece.from, piece.to)), Doc.empty);
    const before = pieces.reduce((sum, piece) => sum + Math.max(0, Math.min(head, piece.to) - piece.from), 0);
    this.#change(viewPort, {
      changes: [{ from, insert }, ...pieces.map((piece) => ({ from: piece.from, to: piece.to }))],
      selection: { anchor: from + before },
    });
  }

  /** Inserts text that others moved here while it was typed, with the caret. */
  land(landing: Landing): void {
    const viewPort = this.#viewPort;
    if (!viewPort || this.#client.store.text(this.#cell)?.version !== this.#version(viewPort)) return; // updates are held back, and the text is inserted without the editor
    const landed = landing.take();
    if (!landed) return;
    const unsent = this.#unsent(viewPort);
    const selection = { anchor: unsent.map(landed.changes, true).mapPos(landed.head, -1) };
    this.#change(viewPort, { changes: landed.changes.map(unsent), selection });
  }

  /** Detects a text that was replaced without updates: the core has restarted. */
  #compare(): void {
    const text = this.#client.store.text(this.#cell);
    if (!text) return this.#gone();
    if (text === this.#seen) return;
    this.#seen = text;
    this.#whole = true;
    this.settle();
  }

  #letGo(): void {
    this.#free?.();
    this.#free = undefined;
  }

  /** Recovers the text typed into a cell that a restarted core does not have. */
  #gone(): void {
    const viewPort = this.#viewPort;
    const source = viewPort
      ? sendableUpdates(viewPort.state)
          .map(({ changes }) => insertedBy(changes))
          .join("")
      : "";
    this.#viewPort = undefined;
    this.#letGo();
    for (const stop of this.#stop) stop();
    if (source === "") return;
    this.#client.store.apply({ refused: [{ id: "", type: "SourceEdited", code: "not-found", message: "the cell was deleted meanwhile", source }] });
  }

  #deliver(viewPort: ViewPort, updates: readonly TextUpdate[]): void {
    let version = this.#version(viewPort);
    if (updates.length === 0) return;
    let length = this.#base.source.length;
    let fitting: Update[] = [];
    for (const { version: at, edit, by = "" } of updates) {
      if (at !== version) continue; // from before the text was replaced
      if (fitting.length > 0 && fitting.every(({ clientID }) => this.#undoes(clientID)) !== this.#undoes(by)) {
        this.#take(viewPort, fitting);
        fitting = [];
      }
      const changes = toChanges(edit, length);
      fitting.push({ changes, clientID: by });
      length = changes.newLength;
      version++;
    }
    if (fitting.length > 0) this.#take(viewPort, fitting);
    this.#failure = undefined;
    this.#pump();
  }

  #undoes(by: string): boolean {
    return by === this.undoName;
  }

  /** Applies updates that are all of the user's own undo, or all not. */
  #take(viewPort: ViewPort, updates: readonly Update[]): void {
    const shown = this.#client.store.text(this.#cell);
    const tr = receiveUpdates(viewPort.state, updates);
    const version = this.#version(viewPort) + updates.length;
    this.#base = shown?.version === version ? shown : { version, source: after(this.#base.source, updates) };
    this.#pass(updates);
    const own = updates.every(({ clientID }) => this.#undoes(clientID));
    viewPort.dispatch(tr, own);
    if (tr.docChanged && own) this.#goTo(viewPort, tr);
  }

  /** Updates the pieces that were typed here over updates of the text. */
  #pass(updates: readonly Update[]): void {
    for (const { changes, clientID } of updates) this.#here = typedHere(this.#here, changes, clientID === this.#name || this.#undoes(clientID));
  }

  #goTo(viewPort: ViewPort, tr: Transaction): void {
    let end = 0;
    tr.changes.iterChangedRanges((_fromA, _toA, _fromB, toB) => {
      end = toB;
    });
    viewPort.dispatch(viewPort.state.update({ selection: { anchor: end }, scrollIntoView: true }));
  }

  /** Continues from a replaced text. */
  #restart(viewPort: ViewPort, text: Text): void {
    const unsent = sendableUpdates(viewPort.state);
    const known = this.#known(viewPort, text.source);
    const own = unsent.slice(0, known).map(({ changes }) => ({ changes, clientID: this.#name }));
    const rest = difference(after(this.#base.source, own), text.source);
    const updates = rest.empty ? own : [...own, { changes: rest, clientID: "" }];
    this.#era++;
    this.#whole = false;
    for (const { arrivals } of this.#held.splice(0)) arrivals?.end();
    this.#pushing = false;
    this.#behind = -1;
    this.#taken = text.version;
    this.#shift = text.version - getSyncedVersion(viewPort.state) - updates.length;
    this.#base = text;
    this.#pass(updates);
    this.#failure = undefined;
    if (updates.length > 0) viewPort.dispatch(receiveUpdates(viewPort.state, updates));
    this.#pump();
  }

  /** Returns the number of own updates that are contained in a source: as many as explain it, else those accepted by the core. */
  #known(viewPort: ViewPort, source: string): number {
    const unsent = sendableUpdates(viewPort.state);
    for (let count = unsent.length; count >= 0; count--) {
      if (after(this.#base.source, unsent.slice(0, count)) === source) return count;
    }
    return Math.min(unsent.length, Math.max(0, this.#taken - this.#version(viewPort)));
  }
}

/** Changes a text without an editor, and continues until the core has the change. */
function change(client: Client, cell: CellID, text: Text, changes: ChangeSet): void {
  const binding = new Binding(client, cell, text);
  const state = EditorState.create({ doc: text.source, extensions: [binding.extension, EditorState.lineSeparator.of("\n")] });
  binding.attach(new DetachedViewPort(state.update({ changes }).state));
  binding.detach();
}

/** Returns the text inserted by changes. */
function insertedBy(changes: ChangeSet): string {
  let text = "";
  changes.iterChanges((_fromA, _toA, _fromB, _toB, inserted) => {
    text += inserted.toString();
  });
  return text;
}

function after(source: string, updates: readonly Update[]): string {
  return updates.reduce((doc, { changes }) => changes.apply(doc), Doc.of(source.split("\n"))).toString();
}

/** Makes the browser ask before the page is left. Returns the function that ends this. */
function askBeforeLeaving(): () => void {
  const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
  window.addEventListener("beforeunload", ask);
  return () => window.removeEventListener("beforeunload", ask);
}
