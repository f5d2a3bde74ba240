import { EditorState, type Transaction } from "@codemirror/state";
import { expect, test, vi } from "vitest";
import { random, randomText } from "../../test/random.js";
import type { Client } from "../core/client.js";
import { applyEdit } from "../core/edit.js";
import type { Json } from "../core/event.js";
import { Store } from "../core/store.js";
import type { TextListener } from "../core/store.js";
import type { Result, Text, TextPush } from "../core/view.js";
import { Binding } from "./binding.js";
import type { ViewPort } from "./viewPort.js";

/** Opening is a notebook with one cell: its first rows come from the server, and its core starts when a test says so. */
class Opening implements Client {
  readonly store = new Store();
  readonly pushes: TextPush[] = [];
  #text: Text = { version: 0, source: "" };

  constructor(source: string) {
    this.#show({ version: 0, source }, true);
  }

  /** Starts the core with a text. */
  core(source: string, version = 3): void {
    this.#text = { version, source };
    this.#show(this.#text, false);
  }

  /** Starts the core without the cell. */
  coreWithout(): void {
    this.store.apply({ reset: true, notebook: { title: "", language: "python", cells: [] } });
  }

  get source(): string {
    return this.#text.source;
  }

  async push(push: TextPush): Promise<boolean> {
    this.pushes.push(push);
    const { version } = this.#text;
    if (push.version !== version) throw new Error(`pushed at ${push.version}, not at ${version}`);
    const texts = push.edits.map((edit, i) => ({ cell: push.cell, version: version + i, edit, by: push.by }));
    this.#text = { version: version + texts.length, source: push.edits.reduce(applyEdit, this.#text.source) };
    this.store.apply({ texts });
    return true;
  }

  onText(cell: string, f: TextListener): () => void {
    return this.store.onText(cell, f);
  }

  command = (): Promise<Result> => Promise.reject(new Error("no commands here"));
  call = (): Promise<Json> => Promise.reject(new Error("no runtime here"));
  present(): void {}
  reconnect(): void {}
  close(): void {}

  #show(text: Text, first: boolean): void {
    const notebook = { title: "", language: "python", cells: ["c1"] };
    this.store.apply({ reset: true, ...(first && { first }), notebook, cells: [{ id: "c1", kind: "code", text }] });
  }
}

/** Paper is an editor without a screen. */
class Paper implements ViewPort {
  readonly composing = false;
  readonly binding: Binding;
  state: EditorState;

  constructor(client: Client) {
    const text = client.store.text("c1") ?? { version: 0, source: "" };
    this.binding = new Binding(client, "c1", text);
    this.state = EditorState.create({ doc: text.source, extensions: [this.binding.extension, EditorState.lineSeparator.of("\n")] });
    this.binding.attach(this);
  }

  dispatch(tr: Transaction): void {
    this.state = tr.state;
    this.binding.took([tr]);
  }

  type(at: number, insert: string, remove = 0): void {
    this.dispatch(this.state.update({ changes: { from: at, to: at + remove, insert }, userEvent: "input.type" }));
  }

  get text(): string {
    return this.state.doc.toString();
  }
}

/** Runs all pending promise callbacks. */
async function turn(): Promise<void> {
  await new Promise((go) => setImmediate(go));
}

/** Whether the browser would ask before the page is left. */
function asks(): boolean {
  return !window.dispatchEvent(new Event("beforeunload", { cancelable: true }));
}

test("what is typed before there is a core waits for it, and so does who waits for that", async () => {
  const client = new Opening("x = ");
  const paper = new Paper(client);
  paper.type(4, "1");
  paper.type(5, "2");
  const flushed = vi.fn();
  void paper.binding.flush().then(flushed);
  await turn();
  expect([client.pushes, flushed.mock.calls, paper.text]).toEqual([[], [], "x = 12"]);
  client.core("x = ");
  await turn();
  expect([client.source, paper.text]).toEqual(["x = 12", "x = 12"]);
  expect(flushed).toHaveBeenCalledOnce();
});

test("it is moved over what others did meanwhile", async () => {
  const client = new Opening("one\ntwo");
  const paper = new Paper(client);
  paper.type(7, "!");
  client.core("zero\none\ntwo", 9);
  await turn();
  expect([client.source, paper.text]).toEqual(["zero\none\ntwo!", "zero\none\ntwo!"]);
});

test("it gets to the core though its editor was taken down", async () => {
  const client = new Opening("");
  const paper = new Paper(client);
  paper.type(0, "typed");
  paper.binding.detach();
  client.core("");
  await turn();
  expect(client.source).toBe("typed");
});

test("it is given back if the cell was deleted meanwhile", async () => {
  const client = new Opening("x");
  const paper = new Paper(client);
  paper.type(1, "yz");
  client.coreWithout();
  await turn();
  expect(client.store.refused()).toMatchObject([{ code: "not-found", source: "yz" }]);
  expect([client.pushes, asks()]).toEqual([[], false]);
});

test("a cell that is gone and in which nothing was typed is not spoken of", async () => {
  const client = new Opening("x");
  const paper = new Paper(client);
  client.coreWithout();
  await turn();
  expect([client.store.refused(), paper.text]).toEqual([[], "x"]);
});

test("the browser asks before the page is left as long as what was typed is nowhere else", async () => {
  const client = new Opening("");
  const paper = new Paper(client);
  expect(asks()).toBe(false);
  paper.type(0, "a");
  expect(asks()).toBe(true);
  client.core("");
  await turn();
  expect(asks()).toBe(false);
});

test("no key is lost whatever others did before the core came", async () => {
  for (let seed = 1; seed <= 500; seed++) {
    const below = random(seed);
    const source = randomText(below, 12);
    const client = new Opening(source);
    const paper = new Paper(client);
    const keys = Array.from({ length: 1 + below(6) }, (_, i) => String.fromCharCode(0x4e00 + i));
    for (const key of keys) paper.type(below(paper.text.length + 1), key);
    const at = below(source.length + 1);
    client.core(source.slice(0, at) + randomText(below, 4) + source.slice(Math.min(source.length, at + below(4))), below(5));
    await turn();
    for (const key of keys) expect(client.source.split(key), `seed ${seed}`).toHaveLength(2);
    expect(paper.text, `seed ${seed}`).toBe(client.source);
  }
});
