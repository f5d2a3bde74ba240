// @vitest-environment node
import { ChangeSet, EditorState, Text as Doc, type Transaction } from "@codemirror/state";
import { expect, test } from "vitest";
import { random } from "../../test/random.js";
import type { Client } from "../core/client.js";
import { applyEdit } from "../core/edit.js";
import type { Edit } from "../core/event.js";
import { Store, type TextListener } from "../core/store.js";
import type { Batch, Cell, Moved, MovedPart, Text, TextPush } from "../core/view.js";
import { Binding } from "./binding.js";
import { toChanges, toEdit } from "./convert.js";
import type { Follower, Landing } from "./landing.js";
import type { ViewPort } from "./viewPort.js";

/** Shared is a text: in her core, and the changes that the other person does not have. */
interface Shared {
  readonly text: Text;
  readonly hers: ChangeSet;
}

/** Core holds the cells for her page. Another person acts on a notebook without her unsent text. */
class Core implements Client {
  readonly store = new Store();
  readonly order: string[] = [];
  readonly #cells = new Map<string, Shared>();
  readonly #waiting: (() => void)[] = [];
  #open = false;
  #made = 0;
  /** The changes of her page to each cell after the others are done, if they are recorded. */
  pushed: Map<string, ChangeSet> | undefined;
  /** The batches on their way to the page, one for each event. */
  batches: Batch[] = [];

  constructor(sources: readonly string[]) {
    const cells = sources.map((source, i) => this.#make(source, i));
    this.store.apply({ reset: true, notebook: this.#notebook(), cells });
  }

  his(cell: string): string {
    const { text, hers } = this.#of(cell);
    return this.#without(text.source, hers);
  }

  text(cell: string): string {
    return this.#of(cell).text.source;
  }

  async push({ cell, version, edits, by }: TextPush): Promise<boolean> {
    if (!this.#open) await new Promise<void>((go) => this.#waiting.push(go));
    return this.take({ cell, version, edits, by });
  }

  /** Accepts an edit of a third user, which the other person does not have either. */
  late(cell: string, edit: Edit): void {
    this.#add(cell, edit, undefined);
  }

  /** Accepts her push, if it is based on the latest version. */
  take({ cell, version, edits, by }: TextPush): boolean {
    if (version !== this.#of(cell).text.version) return false;
    for (const edit of edits) {
      const changes = toChanges(edit, this.text(cell).length);
      this.pushed?.set(cell, this.pushed.get(cell)?.compose(changes) ?? changes);
      this.#add(cell, edit, by);
    }
    return true;
  }

  #add(cell: string, edit: Edit, by: string | undefined): void {
    const { text, hers } = this.#of(cell);
    this.#cells.set(cell, { text: after(text, edit), hers: hers.compose(toChanges(edit, text.source.length)) });
    this.batches.push({ texts: [{ cell, version: text.version, edit, ...(by !== undefined && { by }) }] });
  }

  /** Lets her pushes reach the core from now on. */
  async open(): Promise<void> {
    this.#open = true;
    for (const go of this.#waiting.splice(0)) go();
    for (let idle = 0; idle < 3; idle++) {
      await new Promise((go) => setImmediate(go));
      if (this.batches.length > 0) idle = 0;
      this.show(false);
    }
  }

  /** Delivers the batches to the page: all at once, or one after the other. */
  show(together: boolean, then: () => void = () => {}): void {
    const batches = this.batches.splice(0);
    for (const batch of together ? [joined(batches)] : batches) {
      this.store.apply(batch);
      then();
    }
  }

  edit(cell: string, edit: Edit): void {
    this.#edit(cell, edit);
  }

  /** Splits a cell as the other person has it. */
  split(cell: string, at: number): string {
    const source = this.his(cell);
    const head = source.slice(0, at).replace(/\n+$/, "");
    const part = source.slice(at).replace(/^\n+/, "");
    const row = this.#make(part, this.order.indexOf(cell) + 1);
    this.batches.push({ cells: [row], notebook: this.#notebook() });
    const skip = source.length - head.length - part.length;
    if (head.length < source.length)
      this.#edit(
        cell,
        [...(head.length > 0 ? [head.length] : []), head.length - source.length],
        [{ length: part.length, cell: row.id, at: 0, ...(skip > 0 && { skip }) }],
      );
    return row.id;
  }

  /** Appends the text of a cell to the one above, with a separator, and deletes it. */
  merge(cell: string, into: string, between = "\n\n"): void {
    const [source, before] = [this.his(cell), this.his(into)];
    const at = this.#of(into).hers.mapPos(before.length, -1);
    const inserted = between + source;
    this.#edit(into, [...(before.length > 0 ? [before.length] : []), inserted]);
    const { text, hers } = this.#of(cell);
    const part = { length: text.source.length, cell: into, at: at + between.length, ...(!hers.empty && { edit: toEdit(hers) }) };
    this.delete(cell, source === "" ? [] : [{ at: 0, cell, deleted: true, parts: [part], joined: { cell: into, at, length: inserted.length } }]);
  }

  delete(cell: string, moved: readonly Moved[] = []): void {
    this.order.splice(this.order.indexOf(cell), 1);
    this.batches.push({ cells: [{ id: cell, kind: "code", deleted: true }], notebook: this.#notebook(), moved });
  }

  onText(cell: string, f: TextListener): () => void {
    return this.store.onText(cell, f);
  }
  async command(): Promise<object> {
    return {};
  }
  async call(): Promise<null> {
    return null;
  }
  present(): void {}
  reconnect(): void {}
  close(): void {}

  #make(source: string, at: number): Cell {
    const id = `c${++this.#made}`;
    const text = { version: 1, source };
    this.#cells.set(id, { text, hers: ChangeSet.empty(source.length) });
    this.order.splice(at, 0, id);
    return { id, kind: "code", text };
  }

  #notebook(): { readonly title: string; readonly language: string; readonly cells: readonly string[] } {
    return { title: "", language: "python", cells: [...this.order] };
  }

  #of(cell: string): Shared {
    const shared = this.#cells.get(cell);
    if (!shared) throw new Error(`there is no cell ${cell}`);
    return shared;
  }

  #edit(cell: string, edit: Edit, parts?: readonly MovedPart[]): void {
    const { text, hers } = this.#of(cell);
    const his = toChanges(edit, hers.length);
    const fits = toEdit(his.map(hers, true));
    this.#cells.set(cell, { text: after(text, fits), hers: hers.map(his) });
    this.batches.push({ texts: [{ cell, version: text.version, edit: fits }], ...(parts && { moved: [{ at: 0, cell, parts }] }) });
  }

  /** Returns a text without her insertions. */
  #without(source: string, hers: ChangeSet): string {
    let text = "";
    let at = 0;
    hers.iterChanges((_fromA, _toA, from, to) => {
      text += source.slice(at, from);
      at = to;
    }, true);
    return text + source.slice(at);
  }
}

function after({ version, source }: Text, edit: Edit): Text {
  return { version: version + 1, source: applyEdit(source, edit) };
}

/** Joins batches, as a worker does for a page that was slow. */
function joined(batches: readonly Batch[]): Batch {
  const cells = new Map<string, Cell>();
  const texts: NonNullable<Batch["texts"]>[number][] = [];
  const moved: Moved[] = [];
  let notebook: Batch["notebook"];
  for (const batch of batches) {
    for (const cell of batch.cells ?? []) cells.set(cell.id, { ...cells.get(cell.id), ...cell });
    moved.push(...(batch.moved ?? []).map((one) => ({ ...one, at: one.at + texts.length })));
    texts.push(...(batch.texts ?? []));
    notebook = batch.notebook ?? notebook;
  }
  return { cells: [...cells.values()], texts, moved, ...(notebook && { notebook }) };
}

/** Sheet is an editor without a screen. */
class Sheet implements ViewPort {
  composing = false;
  state: EditorState;
  readonly binding: Binding;

  constructor(core: Core, cell: string, follower: Follower) {
    const text = core.store.text(cell) ?? { version: 0, source: "" };
    this.binding = new Binding(core, cell, text, undefined, follower);
    this.state = EditorState.create({ doc: text.source, extensions: [this.binding.extension, EditorState.lineSeparator.of("\n")] });
    this.binding.attach(this);
  }

  dispatch(tr: Transaction): void {
    this.state = tr.state;
    this.binding.took([tr]);
  }
}

/** She is a user at a page, with the caret in one cell. */
class She implements Follower {
  readonly core: Core;
  active: string;
  readonly #sheets = new Map<string, Sheet>();
  #wanted: Landing | undefined;

  constructor(core: Core, cell: string, head: number) {
    this.core = core;
    this.active = cell;
    for (const id of core.order) this.sheet(id);
    const sheet = this.sheet(cell);
    sheet.dispatch(sheet.state.update({ selection: { anchor: head } }));
  }

  readonly follows = (cell: string): boolean => cell === this.active;

  readonly carry = (_from: string, landing: Landing): void => {
    this.active = landing.cell;
    this.#wanted = landing;
  };

  /** Handles a shown batch as the page does. */
  readonly land = (): void => {
    const landing = this.#wanted;
    this.#wanted = undefined;
    if (landing) this.sheet(landing.cell).binding.land(landing);
  };

  sheet(cell: string): Sheet {
    const sheet = this.#sheets.get(cell) ?? new Sheet(this.core, cell, this);
    this.#sheets.set(cell, sheet);
    return sheet;
  }

  type(text: string): void {
    const { state } = this.sheet(this.active);
    this.sheet(this.active).dispatch(state.update({ ...state.replaceSelection(text), userEvent: "input.type" }));
  }

  get head(): number {
    return this.sheet(this.active).state.selection.main.head;
  }
}

/** The place of her text when the other person acts. */
const places = ["nowhere", "in the editor", "in the core", "in both"] as const;

interface Played {
  readonly texts: readonly string[];
  readonly caret: { readonly cell: string; readonly head: number };
}

interface Scene {
  readonly sources: readonly string[];
  readonly acts: (core: Core) => void;
  readonly cell: string;
  readonly head: number;
  readonly place: (typeof places)[number];
  readonly typed: readonly [string, string];
}

/** Plays a scene, and returns the resulting texts, and the place of the caret. */
async function play({ sources, acts, cell, head, place, typed }: Scene, together: boolean, then = ""): Promise<Played> {
  const core = new Core(sources);
  const she = new She(core, cell, head);
  const [first, second] = place === "nowhere" ? ["", ""] : place === "in both" ? typed : [typed.join(""), ""];
  if (first !== "") she.type(first);
  if (place === "in the core" || place === "in both") {
    core.take({ cell, version: 1, edits: [[...(head > 0 ? [head] : []), first]], by: she.sheet(cell).binding.undoName.replace(" undoes", "") });
    if (second !== "") she.type(second);
  }
  acts(core);
  core.show(together, she.land);
  if (then !== "") she.type(then);
  await core.open();
  const texts = core.order.map((id) => core.text(id));
  expect(
    core.order.map((id) => core.store.text(id)?.source),
    "the page has what the core has",
  ).toEqual(texts);
  expect(she.sheet(she.active).state.doc.toString(), "so has the editor").toBe(core.text(she.active));
  return { texts: core.order.includes(she.active) ? texts : [...texts, `DELETED ${core.text(she.active)}`], caret: { cell: she.active, head: she.head } };
}

const scenes: readonly { readonly name: string; readonly cell: string; readonly acts: (core: Core) => void }[] = [
  { name: "a split", cell: "c1", acts: (core) => core.split("c1", 4) },
  { name: "a split in a line", cell: "c1", acts: (core) => core.split("c1", 2) },
  { name: "an edit and a split", cell: "c1", acts: (core) => (core.edit("c1", [5, "h"]), core.split("c1", 4)) },
  { name: "an edit before it and a split", cell: "c1", acts: (core) => (core.edit("c1", ["h"]), core.split("c1", 5)) },
  { name: "a split and an edit of the head", cell: "c1", acts: (core) => (core.split("c1", 4), core.edit("c1", [1, "h"])) },
  { name: "a split and an edit of the part", cell: "c1", acts: (core) => core.edit(core.split("c1", 4), [1, "h"]) },
  { name: "an edit, a split and an edit of the part", cell: "c1", acts: (core) => (core.edit("c1", [5, "h"]), core.edit(core.split("c1", 4), ["h", 2, -1])) },
  { name: "two splits from the end", cell: "c1", acts: (core) => (core.split("c1", 4), core.split("c1", 2)) },
  { name: "two splits from the start", cell: "c1", acts: (core) => core.split(core.split("c1", 2), 2) },
  { name: "a split that is undone", cell: "c1", acts: (core) => core.merge(core.split("c1", 4), "c1", "\n") },
  { name: "a split in a line that is undone", cell: "c1", acts: (core) => core.merge(core.split("c1", 2), "c1", "") },
  { name: "a split, and a merge of the parts", cell: "c1", acts: (core) => core.merge(core.split("c1", 4), "c1") },
  { name: "a split and the deletion of the part", cell: "c1", acts: (core) => core.delete(core.split("c1", 4)) },
  { name: "a merge into the one above", cell: "c2", acts: (core) => core.merge("c2", "c1") },
  { name: "a merge, and an edit of its text", cell: "c2", acts: (core) => (core.merge("c2", "c1"), core.edit("c1", [11, "h"])) },
  { name: "a merge, and an edit before its text", cell: "c2", acts: (core) => (core.merge("c2", "c1"), core.edit("c1", [1, "h"])) },
  { name: "an edit and a merge", cell: "c2", acts: (core) => (core.edit("c2", [1, "h"]), core.merge("c2", "c1")) },
  { name: "a merge of the one below, and an edit", cell: "c1", acts: (core) => (core.merge("c2", "c1"), core.edit("c1", ["h"])) },
  { name: "two merges", cell: "c3", acts: (core) => (core.merge("c2", "c1"), core.merge("c3", "c1")) },
  { name: "a merge and a split elsewhere", cell: "c2", acts: (core) => (core.merge("c2", "c1"), core.split("c1", 11)) },
];

const sources = ["abc\ndef", "gpi\njkl", "mno\nsqr"] as const;
const same = (text: string): string => text.replace(/[a-gi-z]/g, "a");

test.each(scenes)("what is typed and the caret stay with their text, alone and together, in $name", async ({ cell, acts }) => {
  const own = sources[Number(cell.slice(1)) - 1] ?? "";
  const unlike = new Core(sources);
  acts(unlike);
  const his = unlike.order.map((id) => unlike.text(id));
  for (let head = 0; head <= own.length; head++) {
    for (const place of places) {
      const scene: Scene = { sources, acts, cell, head, place, typed: ["x", "y"] };
      const what = `at ${head}, typed ${place}`;
      const single = await play(scene, false, "z");
      expect(await play(scene, true, "z"), `${what}, together`).toEqual(single);
      const alike: Scene = { ...scene, sources: sources.map(same), typed: ["a", "a"] };
      const shape = { texts: single.texts.map(same), caret: single.caret };
      expect(await play(alike, false, "a"), `${what}, with letters that are alike`).toEqual(shape);
      expect(await play(alike, true, "a"), `${what}, with letters that are alike, together`).toEqual(shape);
      const whole = `${place === "nowhere" ? "" : "xy"}z`;
      const text = single.texts.find((one) => one.includes(whole)) ?? "";
      expect(text, `${what}: ${JSON.stringify(single)}`).not.toBe("");
      const before = own.slice(0, head).replaceAll("\n", "").at(-1) ?? "";
      const at = text.indexOf(whole);
      if (own[head - 1] !== "\n" && his.join("").includes(before)) expect(text.slice(0, at), what).toMatch(new RegExp(`${before}h?$`));
      expect(
        single.texts.filter((one) => !one.startsWith("DELETED")).map((one) => one.replace(whole, "")),
        what,
      ).toEqual(his);
    }
  }
});

test.each(Array.from({ length: 100 }, (_, seed) => seed))("how events come together changes nothing (seed %i)", async (seed) => {
  const below = random(seed);
  const steps = Array.from({ length: 1 + below(5) }, () => [below(6), below(1 << 20), below(1 << 20)] as const);
  const acts = (core: Core): void => {
    for (const [kind, a, b] of steps) {
      const i = a % core.order.length;
      const [cell = "", next] = [core.order[i], core.order[i + 1]];
      const length = core.his(cell).length;
      if (kind < 2) core.edit(cell, [...(b % (length + 1) > 0 ? [b % (length + 1)] : []), "h"]);
      else if (kind === 2 && length > 0) core.edit(cell, [...(b % length > 0 ? [b % length] : []), -1]);
      else if (kind === 3 && next !== undefined && core.his(next) !== "") core.merge(next, cell, ["", "\n", "\n\n"][b % 3]);
      else core.split(cell, b % (length + 1));
    }
  };
  const place = places[below(places.length)] ?? "nowhere";
  const scene: Scene = { sources: ["aaa\naaa", "aaa\naaa"], acts, cell: below(2) === 0 ? "c1" : "c2", head: below(8), place, typed: ["a", "aa"] };
  const single = await play(scene, false, "a");
  expect(await play(scene, true, "a")).toEqual(single);
  const unlike = { ...scene, typed: ["x", "y"] } as const;
  expect((await play(unlike, true, "z")).texts.join("|"), "what is typed is whole").toContain(place === "nowhere" ? "z" : "xyz");
});

/** Typist is one of two users who type at the same time, each at a page. */
interface Typist {
  readonly at: number;
  readonly text: string;
  /** Whether the caret stays there. */
  readonly stays: boolean;
}

/**
 * Plays the typing of two users, the second after the first in the log, and the acts of a third who has neither. Returns the
 * texts once the room has the changes of both pages.
 */
async function playTwo(cell: string, acts: (core: Core) => void, typists: readonly [Typist, Typist], together: boolean): Promise<readonly string[]> {
  const cores = typists.map(() => new Core(sources));
  for (const [mine, core] of cores.entries()) {
    const me = new She(core, cell, 0);
    const sheet = me.sheet(cell);
    const by = sheet.binding.undoName.replace(" undoes", "");
    typists.forEach(({ at, text, stays }, i) => {
      const edit = [...(at > 0 ? [at] : []), text];
      if (i !== mine) return core.late(cell, edit);
      core.show(together);
      sheet.dispatch(sheet.state.update({ selection: { anchor: at } }));
      me.type(text);
      core.take({ cell, version: core.store.text(cell)?.version ?? 0, edits: [edit], by });
      if (!stays) me.active = "elsewhere";
    });
    acts(core);
    core.pushed = new Map();
    core.show(together, me.land);
    await core.open();
  }
  const [first, second] = cores;
  if (!first || !second) return [];
  return first.order.map((id) => {
    const [a, b] = [first.pushed?.get(id), second.pushed?.get(id)];
    if (!a || !b) return (b ? second : first).text(id);
    return b
      .map(a)
      .apply(Doc.of(first.text(id).split("\n")))
      .toString();
  });
}

const withText = scenes.filter(({ name }) => name !== "a split and the deletion of the part");

test.each(withText)("what two people type is there once for each, in $name", async ({ cell, acts }) => {
  const own = sources[Number(cell.slice(1)) - 1] ?? "";
  const unlike = new Core(sources);
  acts(unlike);
  const his = unlike.order.map((id) => unlike.text(id));
  for (let head = 0; head <= own.length; head++) {
    for (let apart = 0; head + apart <= own.length; apart += 2) {
      for (const stays of [true, false]) {
        for (const together of [false, true]) {
          const texts = await playTwo(
            cell,
            acts,
            [
              { at: head, text: "x", stays: true },
              { at: head + apart + 1, text: "y", stays },
            ],
            together,
          );
          const what = `at ${head} and ${head + apart}, ${stays ? "both stay" : "one leaves"}${together ? ", together" : ""}: ${JSON.stringify(texts)}`;
          expect(texts.join("|").replace(/[^xy]/g, ""), what).toHaveLength(2);
          expect(
            texts.map((text) => text.replace(/[xy]/g, "")),
            what,
          ).toEqual(his);
        }
      }
    }
  }
});
