import type { ChangeSet } from "@codemirror/state";
import { applyEdit } from "../core/edit.js";
import type { Client } from "../core/client.js";
import type { CellID, Edit } from "../core/event.js";
import type { TextMove } from "../core/store.js";
import type { Moved, MovedPart, Text, TextUpdate } from "../core/view.js";
import { difference, grows, toChanges, toCuts, toEdit, together } from "./convert.js";
import { follow, type Followed, type Source } from "./follow.js";
import { insertedBy, partsOf, type Piece } from "./here.js";

/** Landing is text on its way to the cell to which others moved the text around it, and the caret if it follows. */
export interface Landing {
  readonly cell: CellID;
  /** Returns, once, the changes to the store's text and the caret's place in their result. */
  take(): { readonly changes: ChangeSet; readonly head: number } | undefined;
}

/** The time that text waits for an editor, in milliseconds. Then it is inserted without one. */
const longest = 3000;

/** Follower is the page's side of a move of text. */
export interface Follower {
  /** Whether the caret in the cell follows its text. */
  readonly follows: (cell: CellID) => boolean;
  /** Moves the caret to another cell. */
  readonly carry: (from: CellID, landing: Landing) => void;
}

/** Ground is the environment of arriving text. */
export interface Ground {
  readonly client: Client;
  readonly follower: Follower | undefined;
  /** Changes the text of a cell that has no editor. */
  readonly change: (cell: CellID, text: Text, changes: ChangeSet) => void;
}

/**
 * Arrivals are the changes that go to the parts of a moved text. Each records the later changes of its cell, because the unsent
 * changes may be known later.
 */
export class Arrivals {
  readonly #moved: Moved;
  readonly #follower: Follower | undefined;
  readonly #arrivals: readonly Arrival[];

  constructor(ground: Ground, moved: Moved) {
    this.#moved = moved;
    this.#follower = ground.follower;
    this.#arrivals = moved.parts.map((part) => new Arrival(ground, part));
  }

  /** Sends on the changes that follow a text. Returns the pieces to cut from the source, and whether the caret follows. */
  begin(source: Source, taken: Edit | undefined): { readonly cuts: Followed["cuts"]; readonly carried: boolean } {
    const { cell, parts } = this.#moved;
    const follows = source.head !== undefined && this.#follower?.follows(cell);
    const goes = follow(follows ? source : { ...source, head: undefined }, taken, parts);
    this.#arrivals.forEach((arrival, i) => {
      const part = goes.parts[i];
      if (part) arrival.begin(cell, part, source.here);
    });
    return { cuts: goes.cuts, carried: goes.parts.some(({ head }) => head !== undefined) };
  }

  /** Ends without changes: nothing follows the text. */
  end(): void {
    for (const arrival of this.#arrivals) arrival.end();
  }
}

/** Step is a change of an arrival's cell before the unsent changes were known. */
interface Step {
  readonly updates: readonly TextUpdate[];
  readonly moved: Moved | undefined;
  readonly arrivals: Arrivals | undefined;
}

/** Arrival is the changes that go to one part. */
class Arrival implements Landing {
  readonly cell: CellID;
  readonly #ground: Ground;
  readonly #part: MovedPart;
  readonly #stop: () => void;
  #steps: Step[] = [];
  #text: Text | undefined;
  #typed: ChangeSet | undefined;
  #head: number | undefined;
  #late: ReturnType<typeof setTimeout> | undefined;

  constructor(ground: Ground, part: MovedPart) {
    this.cell = part.cell;
    this.#ground = ground;
    this.#part = part;
    this.#text = ground.client.store.text(part.cell);
    this.#stop = ground.client.onText(part.cell, (updates, move) => this.#receive(updates, move));
  }

  /** Begins with the followed changes, as an edit of the part, and the pieces of the text that were typed here before. */
  begin(from: CellID, { edit, head }: Followed["parts"][number], here: readonly Piece[]): void {
    const { length, at, edit: unknown = [] } = this.#part;
    const text = this.#text;
    const late = toChanges(unknown, length - grows(unknown));
    const pieces = insertedBy(late).flatMap((piece) => partsOf(piece, here));
    if (!text || (edit.length === 0 && head === undefined && !pieces.some(({ within }) => within))) return this.end();
    const others = toCuts(
      pieces.filter(({ within }) => !within),
      length,
    );
    const typed = toChanges(edit, length);
    const piece = late.compose(others).compose(typed.map(others));
    this.#typed = toChanges([...(at > 0 ? [at] : []), ...toEdit(piece)], text.source.length);
    this.#head = head === undefined ? undefined : at + others.map(typed).mapPos(head, -1);
    if (this.#head !== undefined) this.#ground.follower?.carry(from, this);
    this.#catchUp();
  }

  take(): { readonly changes: ChangeSet; readonly head: number } | undefined {
    const [text, typed, head] = [this.#text, this.#typed, this.#head];
    this.end();
    const now = this.#ground.client.store.text(this.cell);
    if (!text || !typed || head === undefined || !now) return undefined;
    const since = difference(text.source, now.version === text.version ? text.source : now.source); // the text was replaced
    return { changes: typed.map(since), head: since.map(typed, true).mapPos(head, -1) };
  }

  end(): void {
    clearTimeout(this.#late);
    this.#stop();
    for (const { arrivals } of this.#steps) arrivals?.end();
    this.#steps = [];
    this.#typed = undefined;
  }

  #receive(updates: readonly TextUpdate[], { moved }: TextMove = {}): void {
    this.#steps.push({ updates, moved, arrivals: moved && new Arrivals(this.#ground, moved) });
    if (this.#typed) this.#catchUp();
  }

  /** Transforms the unsent changes over the later changes of the cell, and waits for an editor if the caret is there. */
  #catchUp(): void {
    for (let step = this.#steps.shift(); step; step = this.#steps.shift()) this.#over(step);
    clearTimeout(this.#late);
    if (this.#head === undefined) this.#leave();
    else this.#late = setTimeout(() => this.#leave(), longest);
  }

  #over({ updates, moved, arrivals }: Step): void {
    updates.forEach((update, i) => {
      if (!this.#text || !this.#typed || update.version !== this.#text.version) return;
      const takes = moved && !moved.deleted && i === updates.length - 1;
      const went = takes ? arrivals?.begin(this.#source(this.#text, this.#typed), update.edit) : undefined;
      this.#edit(this.#text, this.#typed, update.edit);
      if (went) this.#typed = together([this.#typed, toCuts(went.cuts, this.#typed.newLength)], this.#typed.length);
      if (went?.carried) this.#head = undefined;
    });
    if (!moved?.deleted || !this.#text || !this.#typed) return;
    const went = arrivals?.begin(this.#source(this.#text, this.#typed), undefined);
    if (went?.carried) this.#head = undefined;
  }

  /** Returns the unsent changes to follow the text of the cell. The cell's own editor knows the changes typed in it. */
  #source({ source }: Text, typed: ChangeSet): Source {
    return { text: source, typed, head: this.#head, here: [] };
  }

  #edit({ version, source }: Text, typed: ChangeSet, edit: Edit): void {
    const theirs = toChanges(edit, source.length);
    if (this.#head !== undefined) this.#head = theirs.map(typed, true).mapPos(this.#head, -1);
    this.#typed = typed.map(theirs);
    this.#text = { version: version + 1, source: applyEdit(source, edit) };
  }

  /** Changes the text without an editor. */
  #leave(): void {
    const [text, typed] = [this.#text, this.#typed];
    this.end();
    if (text && typed && !typed.empty) this.#ground.change(this.cell, text, typed);
  }
}
