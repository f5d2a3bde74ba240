// @vitest-environment node
import { expect, test } from "vitest";
import { MemoryClient } from "../../test/memory.js";
import { cellOf } from "./useJump.js";

/** Returns a client whose cells c1 and c2 both ran as 1, c2 later, as after a restart. */
function ranTwice(): MemoryClient {
  const client = new MemoryClient([{}, {}, {}]);
  for (const [n, cell] of ["c1", "c2"].entries()) {
    client.store.apply({
      cells: [{ id: cell, kind: "code", count: 1, run: `r${n}` }],
      runs: [{ id: `r${n}`, cell, state: "finished", status: "ok", started: 1000 + n }],
    });
  }
  return client;
}

test("of cells that ran with the same count the one that says so is meant, else the one that ran last", () => {
  const { store } = ranTwice();
  expect(cellOf(store, { count: 1, line: 1 })).toBe("c2");
  expect(cellOf(store, { count: 1, line: 1, from: "c1" })).toBe("c1");
  expect(cellOf(store, { count: 1, line: 1, from: "c3" })).toBe("c2");
});

test("no cell is meant by a count that none has, or by the name of one that is gone", () => {
  const { store } = ranTwice();
  expect(cellOf(store, { count: 7, line: 1, from: "c1" })).toBeUndefined();
  expect(cellOf(store, { cell: "c9", line: 1 })).toBeUndefined();
  expect(cellOf(store, { cell: "c3", line: 1 })).toBe("c3");
});
