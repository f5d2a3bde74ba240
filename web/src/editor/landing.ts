import type { ChangeSet } from "@codemirror/state";
import { applyEdit } from "../core/edit.js";
import type { Client } from "../core/client.js";
import type { CellID, Edit } from "../core/event.js";
import type { TextMove } from "../core/store.js";
import type { Moved, MovedPart, Text, TextUpdate } from "../core/view.js";
import { difference, grows, toChanges, toCuts, toEdit, together } from "./convert.js";
import { follow, type Followed, type Source } from "./follow.js";
import { insertedBy, partsOf, type Piece } from "./here.js";

/** Landing is text on its way to a cell to which others moved the text that it was typed in, and the caret if that goes too. */
export interface Landing {
  readonly cell: CellID;
  /** Returns, once, what to do to the text that the store has, and where the caret goes in what it makes. */
  take(): { readonly changes: ChangeSet; readonly head: number } | undefined;
}

/** How long text waits for the editor that is to take it, in milliseconds. Then it goes into the cell without one. */
const longest = 3000;

/** What a page says of a text that moves. */
export interface Follower {
  /** Whether the caret that is in a cell is to follow its text. */
  readonly follows: (cell: CellID) => boolean;
  /** Puts the caret into another cell. */
  readonly carry: (from: CellID, landing: Landing) => void;
}

/** Ground is what text on its way needs. */
export interface Ground {
  readonly client: Client;
  readonly follower: Follower | undefined;
  /** Changes the text that a cell has without an editor. */
  readonly change: (cell: CellID, text: Text, changes: ChangeSet) => void;
}

/**
 * Arrivals are what goes to the parts of a text that moved. Each notes from when the text moved what happens to its cell:
 * what was typed in the text may be known later.
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

  /** Moves on what follows a text. Returns what of it is to be cut from where it was, and whether the caret went. */
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

  /** Lets go of them: nothing follows the text. */
  end(): void {
    for (const arrival of this.#arrivals) arrival.end();
  }
}

/** Step is what happened to the cell of an arrival before it was known what was typed. */
interface Step {
  readonly updates: readonly TextUpdate[];
  readonly moved: Moved | undefined;
  readonly arrivals: Arrivals | undefined;
}

/** Arrival is one of them. */
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

  /** Begins with what was typed, as an edit of the part, and what of the text was typed here before. */
  begin(from: CellID, { edit, head }: Followed["parts"][number], here: readonly Piece[]): void {
    const { length, at, edit: unknown = [] } = this.#part;
    const text = this.#text;
    const late = toChanges(unknown, length - grows(unknown));
    const pieces = insertedBy(late).flatMap((piece) => partsOf(piece, here));
    if (!text || (edit.length === 0 && head === undefined && !pieces.some(({ within }) => within))) return this.end();
    const others = toCuts(pieces.filter(({ within }) => !within), length);
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
    const since = difference(text.source, now.version === text.version ? text.source : now.source); // it came whole
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

  /** Moves what was typed over what happened to the cell, and lets it wait for an editor if the caret is there. */
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

  /** Returns what follows the text of the cell. The editor of the cell knows what was typed in that. */
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
