import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import { JsonTree } from "./JsonTree.js";
import { rowsOf } from "./jsonRows.js";

afterEach(cleanup);

const value = { name: "x", list: [1, { "a b": null }], empty: [] };

function labels(): readonly (string | null)[] {
  return screen.getAllByRole("treeitem").map((row) => row.textContent);
}

test("the keyboard opens, walks and closes a tree", async () => {
  const user = userEvent.setup();
  render(<JsonTree value={value} label="Result" />);
  expect(labels()).toEqual(["{3}", 'name: "x"', "list: [2]", "empty: []"]);
  await user.tab();
  await user.keyboard("{ArrowDown}{ArrowDown}{ArrowRight}");
  expect(labels()).toEqual(["{3}", 'name: "x"', "list: [2]", "0: 1", "1: {1}", "empty: []"]);
  await user.keyboard("{ArrowRight}{ArrowDown}{Enter}{ArrowRight}");
  expect(document.activeElement?.textContent).toBe("a b: null");
  expect(screen.getByText('$.list[1]["a b"]')).toBeDefined();
  await user.keyboard("{ArrowLeft}{ArrowLeft}{ArrowLeft}{ArrowLeft}");
  expect(document.activeElement?.textContent).toBe("list: [2]");
  expect(labels().length).toBe(4);
  await user.keyboard("{End}{Home}");
  expect(document.activeElement?.getAttribute("aria-level")).toBe("1");
});

test("the path of a row is copied", async () => {
  const user = userEvent.setup();
  render(<JsonTree value={value} label="Result" />);
  await user.click(screen.getByRole("treeitem", { name: /list/ }));
  await user.click(screen.getByRole("button", { name: "Copy path" }));
  expect(await navigator.clipboard.readText()).toBe("$.list");
});

test("a big list is in slices, and costs what is open", () => {
  const list = Array.from({ length: 1_000_000 }, (_, i) => i);
  const rows = rowsOf(list, new Set(["$"]));
  expect(rows.length).toBe(101);
  expect(rows[1]?.label).toMatch(/^0 … 9.999$/);
  const deeper = rowsOf(list, new Set(["$", "$#990000-1000000", "$#999900-1000000"]));
  expect(deeper.length).toBe(301);
  expect(deeper.at(-1)).toMatchObject({ path: "$[999999]", label: "999999", value: 999_999, depth: 3 });
});

test("members are the value's own", () => {
  const odd: unknown = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 2}');
  if (typeof odd !== "object" || odd === null) throw new Error("no object");
  const rows = rowsOf({ ...odd }, new Set(["$"]));
  expect(rows.map((row) => row.path)).toEqual(["$", "$.__proto__", "$.constructor"]);
});
