import { afterEach, expect, test, vi } from "vitest";
import { Arrival, arrange } from "./arrange.js";

afterEach(() => document.body.replaceChildren());

/** Creates a list of fields with these names, and returns it with a function that selects fields by name. */
function list(names: string): { readonly parent: HTMLElement; readonly of: (names: string) => readonly Element[]; readonly shown: () => string } {
  const parent = document.body.appendChild(document.createElement("div"));
  for (const name of names) parent.appendChild(document.createElement("input")).id = name;
  const of = (wanted: string): readonly Element[] => [...wanted].flatMap((name) => document.getElementById(name) ?? []);
  return { parent, of, shown: () => [...parent.children].map(({ id }) => id).join("") };
}

test.each(["abcde", "edcba", "bcdea", "eabcd", "acbed"])("children are put into the order %s, with what is not named behind them", (order) => {
  const { parent, of, shown } = list("abcde-");
  arrange(parent, of(order));
  expect(shown()).toBe(`${order}-`);
});

test("the one with the focus is never taken out, whichever moves", () => {
  for (const order of ["edcba", "bcdea", "eabcd", "cdeab", "badce"]) {
    for (const focused of "abcde") {
      document.body.replaceChildren();
      const { parent, of, shown } = list("abcde");
      document.getElementById(focused)?.focus();
      arrange(parent, of(order));
      expect([shown(), document.activeElement?.id]).toEqual([order, focused]);
    }
  }
});

test("one that moves far is the only one that is moved", () => {
  const { parent, of } = list("abcdefgh");
  const insert = vi.spyOn(parent, "insertBefore");
  arrange(parent, of("bcdefgha"));
  arrange(parent, of("abcdefgh"));
  expect(insert.mock.calls.map(([moved]) => moved)).toEqual([...of("a"), ...of("a")]);
});

test("what came first stays first for React, however the cells are moved", () => {
  const arrival = new Arrival();
  expect(arrival.sorted(["a", "b", "c"])).toEqual(["a", "b", "c"]);
  expect(arrival.sorted(["c", "x", "a"])).toEqual(["a", "c", "x"]);
});
