import { afterEach, expect, test, vi } from "vitest";
import { fetchRows, rowsInPage } from "./first.js";

const rows = { reset: true, first: true, notebook: { title: "</script>", language: "python", cells: [] } };

/** Puts rows into the page as the server does. */
function put(notebook: string): void {
  const element = document.createElement("script");
  element.type = "application/json";
  element.id = "first-rows";
  element.dataset["notebook"] = notebook;
  element.textContent = JSON.stringify(rows);
  document.body.append(element);
}

afterEach(() => {
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

test("the rows that came with the page are taken once, for later they are old", () => {
  put("n1");
  expect(rowsInPage("n1")).toEqual(rows);
  expect(rowsInPage("n1")).toBeUndefined();
});

test("they are of no use to another notebook", () => {
  put("n1");
  expect(rowsInPage("n2")).toBeUndefined();
  expect(rowsInPage("n1")).toBeUndefined();
});

test("a server that answers no, or not at all, has no rows", async () => {
  vi.stubGlobal("fetch", async () => new Response("{}", { status: 404 }));
  expect(await fetchRows("n1")).toBeUndefined();
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("away")));
  expect(await fetchRows("n1")).toBeUndefined();
  vi.stubGlobal("fetch", async () => Response.json(rows));
  expect(await fetchRows("n1")).toEqual(rows);
});
