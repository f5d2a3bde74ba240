import { beforeEach, expect, test, vi } from "vitest";
import type { Refusal } from "../../core/view.js";
import { RefusalStore } from "./refusals.js";

beforeEach(() => localStorage.clear());

function refusal(id: string, source?: string): Refusal {
  return { id, type: "SourceEdited", code: "conflict", message: "the cell was deleted", ...(source === undefined ? {} : { source }) };
}

const ids = (refusals: RefusalStore): readonly string[] => refusals.list().map(({ id }) => id);

test("refusals are there after a reload, until they are read", () => {
  const first = new RefusalStore("a");
  first.add([refusal("c.1", "precious"), refusal("c.2")]);
  const second = new RefusalStore("a");
  expect(second.list()).toEqual([
    { id: "c.1", message: "the cell was deleted", source: "precious" },
    { id: "c.2", message: "the cell was deleted" },
  ]);
  expect(ids(new RefusalStore("b"))).toEqual([]);
  second.read(new Set(["c.1"]));
  expect(ids(new RefusalStore("a"))).toEqual(["c.2"]);
});

test("what the role does not allow is said in the words of the page", () => {
  const refusals = new RefusalStore("a");
  refusals.add([{ id: "c.1", type: "SourceEdited", code: "forbidden", message: "the role viewer may not append SourceEdited" }]);
  expect(refusals.list()).toEqual([{ id: "c.1", message: "your role in this notebook does not allow it" }]);
});

test("each is there once, however many tabs are told of it", () => {
  const refusals = new RefusalStore("a");
  refusals.add([refusal("c.1")]);
  refusals.add([refusal("c.1"), refusal("c.2")]);
  expect(ids(refusals)).toEqual(["c.1", "c.2"]);
});

test("what is read in another tab is read in this one", () => {
  const refusals = new RefusalStore("a");
  refusals.add([refusal("c.1")]);
  const told = vi.fn();
  const stop = refusals.listen(told);
  localStorage.removeItem("quire.refused.a");
  dispatchEvent(new StorageEvent("storage", { key: "quire.refused.a" }));
  expect(ids(refusals)).toEqual([]);
  expect(told).toHaveBeenCalledTimes(1);
  stop();
  dispatchEvent(new StorageEvent("storage", { key: "quire.refused.a" }));
  expect(told).toHaveBeenCalledTimes(1);
});

test("of very many the latest are kept, and no more text than fits", () => {
  const refusals = new RefusalStore("a");
  refusals.add(Array.from({ length: 150 }, (_, i) => refusal(`c.${i}`)));
  expect(ids(refusals)).toHaveLength(100);
  expect(ids(refusals).at(-1)).toBe("c.149");
  refusals.add([refusal("long.1", "x".repeat(900_000)), refusal("long.2", "x".repeat(900_000)), refusal("last", "short")]);
  expect(ids(refusals)).toContain("last");
  expect(ids(refusals)).toContain("long.2");
  expect(ids(refusals)).not.toContain("long.1");
});

test("what is in the storage and makes no sense is no refusal", () => {
  localStorage.setItem("quire.refused.a", '[{"id":7}]');
  expect(ids(new RefusalStore("a"))).toEqual([]);
  vi.stubGlobal("localStorage", undefined);
  const refusals = new RefusalStore("a");
  refusals.add([refusal("c.1")]);
  expect(ids(refusals)).toEqual(["c.1"]);
  vi.unstubAllGlobals();
});
