import { EditorState, type Transaction } from "@codemirror/state";
import { expect, test } from "vitest";
import { MemoryClient } from "../../test/memory.js";
import { random, randomText } from "../../test/random.js";
import type { Text, TextPush } from "../core/view.js";
import { Binding } from "./binding.js";
import type { ViewPort } from "./viewPort.js";

/** SlowClient accepts pushes when the test says so. */
class SlowClient extends MemoryClient {
  readonly pushes: TextPush[] = [];
  readonly #waiting: (() => void)[] = [];

  override async push(push: TextPush): Promise<boolean> {
    this.pushes.push(push);
    await new Promise<void>((go) => this.#waiting.push(go));
    return super.push(push);
  }

  /** A restarted core does not know the pushes to the one before. */
  override reset(cell: string, text: Text): void {
    this.#waiting.length = 0;
    super.reset(cell, text);
  }

  async goOn(): Promise<void> {
    this.#waiting.shift()?.();
    await turn();
  }

  get waits(): boolean {
    return this.#waiting.length > 0;
  }
}

/** Paper is an editor without a screen. */
class Paper implements ViewPort {
  composing = false;
  state: EditorState;
  trouble: string | undefined;
  readonly binding: Binding;

  constructor(client: MemoryClient) {
    const text = client.store.text("c1") ?? { version: 0, source: "" };
    this.binding = new Binding(client, "c1", text, (message) => {
      this.trouble = message;
    });
    this.state = EditorState.create({ doc: text.source, extensions: [this.binding.extension, EditorState.lineSeparator.of("\n")] });
    this.binding.attach(this);
  }

  dispatch(tr: Transaction): void {
    this.state = tr.state;
    this.binding.took([tr]);
  }

  type(at: number, insert: string, remove = 0): void {
    this.dispatch(this.state.update({ changes: { from: at, to: at + remove, insert }, selection: { anchor: at + insert.length }, userEvent: "input.type" }));
  }

  get text(): string {
    return this.state.doc.toString();
  }
}

/** Runs all pending promise callbacks. */
async function turn(): Promise<void> {
  await new Promise((go) => setImmediate(go));
}

test("what is typed is pushed at once, and what is typed meanwhile follows", async () => {
  const client = new SlowClient([{ source: "ab" }]);
  const paper = new Paper(client);
  paper.type(2, "c");
  paper.type(3, "d");
  paper.type(4, "e");
  expect(client.pushes).toMatchObject([{ version: 0, edits: [[2, "c"]] }]);
  await client.goOn();
  expect(client.pushes[1]).toMatchObject({
    version: 1,
    edits: [
      [3, "d"],
      [4, "e"],
    ],
    join: true,
  });
  await client.goOn();
  await paper.binding.flush();
  expect(client.text("c1")).toEqual({ version: 3, source: "abcde" });
});

test("what is typed after a command's key is sent after the command, however slow the core is", async () => {
  const client = new SlowClient([{ source: "" }]);
  const paper = new Paper(client);
  paper.type(0, "x");
  const pushes: number[] = [];
  const commands = ["undo", "run"].map((_, i) => {
    const done = paper.binding.flush().then(() => pushes.push(client.pushes.length));
    paper.type(1 + i, "d");
    return done;
  });
  for (let n = 0; n < 3; n++) {
    while (!client.waits) await turn();
    await client.goOn();
  }
  await Promise.all(commands);
  expect(pushes, "the pushes before each command").toEqual([1, 2]);
  await paper.binding.flush();
  expect(client.pushes.map(({ edits, join }) => ({ edits, join }))).toEqual([{ edits: [["x"]] }, { edits: [[1, "d"]] }, { edits: [[2, "d"]] }]);
});

test("a push that was taken is followed before its updates are back", async () => {
  const client = new SlowClient([{ source: "" }]);
  const paper = new Paper(client);
  client.hold();
  paper.type(0, "a");
  await client.goOn();
  paper.type(1, "b");
  expect(client.pushes[1]).toMatchObject({ version: 1, edits: [[1, "b"]] });
  await client.goOn();
  await paper.binding.flush();
  client.letGo();
  expect([paper.text, client.text("c1").source]).toEqual(["ab", "ab"]);
});

test("a push that others were before is made again on top of theirs", async () => {
  const client = new SlowClient([{ source: "ab" }]);
  const paper = new Paper(client);
  client.hold();
  client.others("c1", ["x"]);
  paper.type(2, "c");
  await client.goOn();
  expect(client.waits).toBe(false);
  client.letGo();
  expect(client.pushes[1]).toMatchObject({ version: 1, edits: [[3, "c"]] });
  await client.goOn();
  expect([paper.text, client.text("c1").source]).toEqual(["xabc", "xabc"]);
});

test("what does not join goes in a push of its own", async () => {
  const client = new SlowClient([{ source: "" }]);
  const paper = new Paper(client);
  paper.type(0, "a");
  paper.type(0, "b");
  paper.type(1, "c");
  await client.goOn();
  await client.goOn();
  expect(client.pushes.map(({ edits, join = false }) => ({ edits, join }))).toEqual([
    { edits: [["a"]], join: false },
    { edits: [["b"], [1, "c"]], join: false },
  ]);
});

test("updates wait while an input method is at work", async () => {
  const client = new MemoryClient([{ source: "ab" }]);
  const paper = new Paper(client);
  paper.composing = true;
  client.others("c1", ["x"]);
  client.others("c1", ["y"]);
  paper.type(2, "か");
  await turn();
  expect(paper.text).toBe("abか");
  paper.composing = false;
  paper.binding.settle();
  await paper.binding.flush();
  expect([paper.text, client.text("c1").source]).toEqual(["yxabか", "yxabか"]);
});

test("what was typed before its editor went away still gets to the core", async () => {
  const client = new SlowClient([{ source: "" }]);
  const paper = new Paper(client);
  paper.type(0, "a");
  paper.type(1, "b");
  client.others("c1", ["x"]);
  paper.binding.detach();
  while (client.waits) await client.goOn();
  expect(client.text("c1").source).toBe("xab");
});

test("a refusal is told, ends the waiting, and the next key tries again", async () => {
  const client = new MemoryClient([{ source: "" }]);
  const paper = new Paper(client);
  const push = client.push.bind(client);
  client.push = async () => Promise.reject(new Error("a viewer may not edit"));
  paper.type(0, "a");
  await expect(paper.binding.flush()).rejects.toThrow("a viewer may not edit");
  expect(paper.trouble).toBe("a viewer may not edit");
  client.push = push;
  paper.type(1, "b");
  await paper.binding.flush();
  expect(client.text("c1").source).toBe("ab");
  expect(paper.trouble).toBeUndefined();
});

test("unsent edits are kept when the text comes whole", async () => {
  const client = new SlowClient([{ source: "one two" }]);
  const paper = new Paper(client);
  paper.type(7, "!");
  client.reset("c1", { version: 40, source: "one and two" });
  await turn();
  expect(paper.text).toBe("one and two!");
  while (client.waits) await client.goOn();
  await turn();
  expect(client.text("c1").source).toBe("one and two!");
});

test("an edit that the whole text has already is not made twice", async () => {
  const client = new SlowClient([{ source: "a" }]);
  const paper = new Paper(client);
  paper.type(1, "b");
  paper.type(2, "c");
  client.reset("c1", { version: 0, source: "ab" });
  await turn();
  while (client.waits) await client.goOn();
  expect([paper.text, client.text("c1").source]).toEqual(["abc", "abc"]);
});

test("the caret goes to what an undo changes, and stays at what others change", async () => {
  const client = new MemoryClient([{ source: "abcdef" }]);
  const paper = new Paper(client);
  paper.dispatch(paper.state.update({ selection: { anchor: 3 } }));
  client.others("c1", ["xx"]);
  expect(paper.state.selection.main.head).toBe(5);
  client.others("c1", [7, -1], paper.binding.undoName);
  expect(paper.state.selection.main.head).toBe(7);
  client.others("c1", ["yy"]);
  client.others("c1", [9, "z"]);
  expect(paper.state.selection.main.head, "right after the undo too").toBe(9);
});

test("an undo and an edit of others that come together move the caret to the undo alone", () => {
  const client = new MemoryClient([{ source: "abcdef" }]);
  const paper = new Paper(client);
  paper.dispatch(paper.state.update({ selection: { anchor: 1 } }));
  client.hold();
  client.others("c1", [3, -1], paper.binding.undoName);
  client.others("c1", [5, "zz"]);
  client.letGo();
  expect([paper.text, paper.state.selection.main.head]).toEqual(["abcefzz", 3]);
});

/** A random event. */
async function step(below: (n: number) => number, client: SlowClient, paper: Paper, resets: boolean): Promise<void> {
  const { source, version } = client.text("c1");
  switch (below(resets ? 8 : 7)) {
    case 0:
    case 1: {
      const at = below(paper.state.doc.length + 1);
      return paper.type(at, randomText(below, 2), below(Math.min(3, paper.state.doc.length - at) + 1));
    }
    case 2: {
      const at = below(source.length + 1);
      const remove = below(Math.min(3, source.length - at) + 1);
      return client.others(
        "c1",
        [at, randomText(below, 2), -remove].filter((part) => part !== 0 && part !== ""),
      );
    }
    case 3:
    case 4:
      return client.goOn();
    case 5:
      return client.show(1 + below(3));
    case 6:
      paper.composing = below(3) === 0;
      return paper.binding.settle();
    default:
      client.reset("c1", { version: version + below(3), source: source + randomText(below, 2) });
      return turn();
  }
}

test.each([{ resets: false }, { resets: true }])("editor, page and core end equal whatever the order (resets: $resets)", async ({ resets }) => {
  for (let seed = 1; seed <= 400; seed++) {
    const below = random(seed);
    const client = new SlowClient([{ source: randomText(below, 10) }]);
    const paper = new Paper(client);
    client.hold();
    for (let i = 0; i < 40; i++) await step(below, client, paper, resets);
    paper.composing = false;
    paper.binding.settle();
    client.letGo();
    const flushed = paper.binding.flush();
    await turn();
    while (client.waits) await client.goOn();
    await flushed;
    const { source } = client.text("c1");
    expect([paper.text, client.store.text("c1")?.source], `seed ${seed}`).toEqual([source, source]);
  }
});
