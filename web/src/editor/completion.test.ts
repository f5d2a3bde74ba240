import { CompletionContext } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { expect, test } from "vitest";
import { MemoryClient } from "../../test/memory.js";
import { complete } from "./completion.js";

const where = { cell: "c1", language: "python" };

function context(doc: string, explicit = true): CompletionContext {
  return new CompletionContext(EditorState.create({ doc }), doc.length, explicit);
}

/** A client whose runtime knows two names, and records its calls. */
function knowing(): { readonly client: MemoryClient; readonly asked: unknown[] } {
  const client = new MemoryClient([{}]);
  const asked: unknown[] = [];
  client.answer("complete", (place) => {
    asked.push(place);
    return { start: 2, end: 4, items: [{ text: "append", kind: "function", type: "(object)" }, { text: "apart", kind: "module" }, { text: "apex" }] };
  });
  return { client, asked };
}

test("the runtime is asked with the source, the caret, the cell and its language", async () => {
  const { client, asked } = knowing();
  const result = await complete(client, where, context("x.ap"));
  expect(asked).toEqual([{ cell: "c1", language: "python", source: "x.ap", cursor: 4 }]);
  expect(result).toMatchObject({
    from: 2,
    options: [{ label: "append", type: "function", detail: "(object)" }, { label: "apart", type: "namespace" }, { label: "apex" }],
  });
});

test("the best candidate stays first", async () => {
  const { client } = knowing();
  const boosts = (await complete(client, where, context("x.ap")))?.options.map((option) => option.boost ?? 0) ?? [];
  expect(boosts).toEqual(boosts.toSorted((a, b) => b - a));
  expect(new Set(boosts).size).toBe(3);
});

test.each([
  { doc: "x.", asks: true },
  { doc: "x.ap", asks: true },
  { doc: "ap", asks: false },
  { doc: "x. ", asks: false },
])("while one types $doc the runtime is asked: $asks", async ({ doc, asks }) => {
  const { client, asked } = knowing();
  await complete(client, where, context(doc, false));
  expect(asked.length > 0).toBe(asks);
});

test.each([
  { name: "there is no runtime", answer: undefined },
  { name: "it has no candidates", answer: { start: 0, end: 1, items: [] } },
  { name: "it names a place behind the caret", answer: { start: 9, end: 9, items: [{ text: "a" }] } },
  { name: "its answer is something else", answer: { items: "none" } },
])("nothing is offered when $name", async ({ answer }) => {
  const client = new MemoryClient([{}]);
  if (answer) client.answer("complete", () => answer);
  expect(await complete(client, where, context("x"))).toBeNull();
});

test("a completion that nobody waits for any more is called off", async () => {
  const client = new MemoryClient([{}]);
  let given: AbortSignal | undefined;
  client.answer("complete", (_place, signal) => {
    given = signal;
    return {};
  });
  const listeners: (() => void)[] = [];
  const asked = context("x");
  asked.addEventListener = (_type, listener) => void listeners.push(listener);
  await complete(client, where, asked);
  for (const abort of listeners) abort();
  expect(given?.aborted).toBe(true);
});
