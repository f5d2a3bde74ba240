// @vitest-environment node
import { ChangeSet, Text } from "@codemirror/state";
import { expect, test } from "vitest";
import { random, randomText } from "../../test/random.js";
import { applyEdit } from "../core/edit.js";
import { difference, toChanges, toEdit } from "./convert.js";

function randomChanges(below: (n: number) => number, length: number): ChangeSet {
  const count = 1 + below(4);
  const places = Array.from({ length: 2 * count }, () => below(length + 1)).sort((a, b) => a - b);
  const specs = Array.from({ length: count }, (_, i) => ({
    from: places[2 * i] ?? 0,
    to: places[2 * i + 1] ?? 0,
    insert: Text.of(randomText(below, 3).split("\n")),
  }));
  return ChangeSet.of(specs, length, "\n");
}

test.each([
  { specs: [], edit: [] },
  { specs: [{ from: 2, insert: "x" }], edit: [2, "x"] },
  { specs: [{ from: 0, to: 3 }], edit: [-3] },
  { specs: [{ from: 1, to: 3, insert: "x\ny" }], edit: [1, "x\ny", -2] },
  {
    specs: [
      { from: 0, insert: "a" },
      { from: 4, to: 5 },
    ],
    edit: ["a", 4, -1],
  },
])("changes become the edit $edit", ({ specs, edit }) => {
  expect(toEdit(ChangeSet.of(specs, 6, "\n"))).toEqual(edit);
});

test("an edit that reaches beyond its text is an error", () => {
  expect(() => toChanges([7, "x"], 6)).toThrow();
});

test("an edit does to a text what the changes do that it was made from, and comes back as them", () => {
  for (let seed = 1; seed <= 2000; seed++) {
    const below = random(seed);
    const source = randomText(below, 20);
    const doc = Text.of(source.split("\n"));
    const changes = randomChanges(below, source.length);
    const edit = toEdit(changes);
    expect(applyEdit(source, edit), `seed ${seed}`).toBe(changes.apply(doc).toString());
    expect(toChanges(edit, source.length).apply(doc).toString(), `seed ${seed}`).toBe(applyEdit(source, edit));
    expect(toEdit(toChanges(edit, source.length)), `seed ${seed}`).toEqual(edit);
  }
});

test("the difference of two texts turns one into the other", () => {
  for (let seed = 1; seed <= 1000; seed++) {
    const below = random(seed);
    const [before, to] = [randomText(below, 12), randomText(below, 12)];
    expect(applyEdit(before, toEdit(difference(before, to))), `seed ${seed}`).toBe(to);
  }
  expect(difference("same", "same").empty).toBe(true);
});
