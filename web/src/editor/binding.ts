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
import { askBeforeLeaving } from "./leaving.js";
import { joins, movedOver, type Typed, typedOf } from "./typed.js";
import { DetachedViewPort, type ViewPort } from "./viewPort.js";

/** Waiter waits until the core has what was typed before it came. */
interface Waiter {
  /** The last change of these that the core did not have at that moment. */
  readonly after: Transaction | undefined;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

/** Step is updates that come together, with what text moved by the last of them. */
interface Step {
  readonly updates: readonly TextUpdate[];
  readonly move: TextMove;
  readonly arrivals: Arrivals | undefined;
}

/**
 * Binding keeps an editor's text and the core's in step. What is typed goes to the core at once, one push after the
 * other; what others typed comes to the editor, moved over what the core has not taken yet. After its editor
 * is taken down it goes on until the core has everything.
 *
 * Text that others move to another cell takes along what was typed in it, and the caret.
 *
 * The text may come from the server first, before there is a core. What is typed waits for the core then, whose text
 * comes whole and is taken in like that of a core that began anew.
 */
export class Binding {
  /** Goes into the state of the editor that the binding is attached to. */
  readonly extension: Extension;
  readonly #client: Client;
  readonly #cell: CellID;
  readonly #name: string;
  readonly #onTrouble: (message: string | undefined) => void;
  readonly #ground: Ground;
  readonly #joined = new WeakSet<Transaction>();
  readonly #stop: readonly (() => void)[];
  #viewPort: ViewPort | undefined;
  /** The text at the version that the editor is synced to. */
  #base: Text;
  /** What of that was typed here. */
  #here: readonly Piece[] = [];
  /** What to add to the version of collab, which cannot be set, to have the core's. */
  #shift = 0;
  /** The version after the last push that the core took; its updates may be still to come. */
  #taken: number;
  /** The version at which the core did not take a push: others came first, whose updates are to come. */
  #behind = -1;
  #pushing = false;
  /** Counts how often the core began anew. Answers from before do not matter. */
  #era = 0;
  #held: Step[] = [];
  /** The text that the store had after the last updates. */
  #seen: Text | undefined;
  /** The text came whole since, which is still to be shown. */
  #whole = false;
  #last: Typed | undefined;
  #failure: Error | undefined;
  #waiters: Waiter[] = [];
  /** Lets the page be left without asking. */
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
    this.extension = [
      collab({ startVersion: text.version, clientID: this.#name }),
      EditorView.updateListener.of((update) => this.took(update.transactions)),
    ];
    this.#stop = [
      client.onText(cell, (updates, move) => this.#receive(updates, move)),
      client.store.listen(Store.textKey(cell), () => queueMicrotask(() => this.#compare())),
    ];
  }

  /** Begins with an editor whose state has the text that the binding was made with, and the extension. */
  attach(viewPort: ViewPort): void {
    this.#viewPort = viewPort;
  }

  /** Lets go of the editor, but not of what the core does not have yet. */
  detach(): void {
    if (!this.#viewPort) return;
    this.#viewPort = new DetachedViewPort(this.#viewPort.state);
    this.settle();
    this.#pump();
  }

  /**
   * Resolves when all that was typed before the call is with the core; rejects when the core says that it will not take it.
   * Text that is typed later is sent only after a command that the caller gives at once: a command is about the text
   * that was there when its key was pressed, and an undo takes back nothing that was typed after it.
   */
  async flush(): Promise<void> {
    this.#failure = undefined;
    this.#last = undefined;
    await new Promise<void>((resolve, reject) => {
      this.#waiters.push({ after: this.#viewPort && sendableUpdates(this.#viewPort.state).at(-1)?.origin, resolve, reject });
      this.#pump();
    });
  }

  /** The name for the edits of an undo that is ordered here. The caret goes to them, and to nothing that others do meanwhile. */
  get undoName(): string {
    return `${this.#name} undoes`;
  }

  /** Takes note of what was done in the editor. */
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

  /** Shows what was held back while an input method was at work, if it is done. */
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
      this.#free ??= askBeforeLeaving(); // it is nowhere but here
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

  /** Lets a waiter go on before anything that was typed after it came is sent. */
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

  /** Returns the first updates that undo takes back together: they go in one push. */
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

  /** Takes in updates, and has what was typed go where the last of them moves the text. */
  #follow(viewPort: ViewPort, { updates, move: { moved, joined }, arrivals }: Step): void {
    const last = updates.at(-1);
    if (arrivals && moved?.deleted) {
      this.#deliver(viewPort, updates);
      arrivals.begin(this.#source(viewPort), undefined);
    } else if (arrivals && last) {
      this.#deliver(viewPort, updates.slice(0, -1));
      if (last.version !== this.#version(viewPort)) return arrivals.end(); // from before the text came whole
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

  /** Returns what the core does not have, as changes of the text that it has. */
  #unsent(viewPort: ViewPort): ChangeSet {
    return together(sendableUpdates(viewPort.state).map(({ changes }) => changes), this.#base.source.length);
  }

  #change(viewPort: ViewPort, spec: TransactionSpec): void {
    const tr = viewPort.state.update(spec);
    viewPort.dispatch(tr);
    if (viewPort instanceof DetachedViewPort) this.took([tr]);
  }

  /** Puts what was typed here at the end of the text before what others joined to it meanwhile. */
  #mend(viewPort: ViewPort, { at, length }: Joined): void {
    const { doc, selection: { main: { head } } } = viewPort.state;
    const unsent = this.#unsent(viewPort);
    const [from, to] = [unsent.mapPos(at, 1), unsent.mapPos(at + length, -1)];
    const pieces = partsOf({ from: to, to: doc.length }, typedHere(this.#here, unsent, true)).filter(({ within }) => within);
    if (pieces.length === 0 || head < to || !this.#ground.follower?.follows(this.#cell)) return;
    const insert = pieces.reduce((text, piece) => text.append(doc.slice(piece.from, piece.to)), Doc.empty);
    const before = pieces.reduce((sum, piece) => sum + Math.max(0, Math.min(head, piece.to) - piece.from), 0);
    this.#change(viewPort, { changes: [{ from, insert }, ...pieces.map((piece) => ({ from: piece.from, to: piece.to }))], selection: { anchor: from + before } });
  }

  /** Takes in text, with the caret, that others moved here while it was typed. */
  land(landing: Landing): void {
    const viewPort = this.#viewPort;
    if (!viewPort || this.#client.store.text(this.#cell)?.version !== this.#version(viewPort)) return; // it holds back what came, and the text goes in without it
    const landed = landing.take();
    if (!landed) return;
    const unsent = this.#unsent(viewPort);
    const selection = { anchor: unsent.map(landed.changes, true).mapPos(landed.head, -1) };
    this.#change(viewPort, { changes: landed.changes.map(unsent), selection });
  }

  /** Looks whether the text came whole, without updates: the core began anew. */
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

  /** Gives back what was typed into a cell that a core which begins anew does not have. */
  #gone(): void {
    const viewPort = this.#viewPort;
    const source = viewPort ? sendableUpdates(viewPort.state).map(({ changes }) => insertedBy(changes)).join("") : "";
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
      if (at !== version) continue; // from before the text came whole
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

  /** Takes in updates, all of which are of one's own undo or none. */
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

  /** Takes note of what updates of the text leave of what was typed here, and add to it. */
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

  /** Goes on from a text that came whole. */
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

  /** Returns how many of the own updates are in a source: as many as explain it, else those that the core took. */
  #known(viewPort: ViewPort, source: string): number {
    const unsent = sendableUpdates(viewPort.state);
    for (let count = unsent.length; count >= 0; count--) {
      if (after(this.#base.source, unsent.slice(0, count)) === source) return count;
    }
    return Math.min(unsent.length, Math.max(0, this.#taken - this.#version(viewPort)));
  }
}

/** Changes a text without an editor, and goes on until the core has it. */
function change(client: Client, cell: CellID, text: Text, changes: ChangeSet): void {
  const binding = new Binding(client, cell, text);
  const state = EditorState.create({ doc: text.source, extensions: [binding.extension, EditorState.lineSeparator.of("\n")] });
  binding.attach(new DetachedViewPort(state.update({ changes }).state));
  binding.detach();
}

/** Returns all the text that changes insert. */
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
