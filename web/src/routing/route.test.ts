// @vitest-environment node
import { describe, expect, test } from "vitest";
import { parseQuery } from "./query.js";
import { addressOf, dashboard, notebook, parseRoute, type Route, slugOf } from "./route.js";

function read(address: string): Route {
  return parseRoute(new URL(address, "http://test"));
}

describe("an address is read as its route", () => {
  const usual = parseQuery("");
  const routes: readonly (readonly [string, Route])[] = [
    ["/", { page: "dashboard", query: usual }],
    ["/?q=plan+b&sort=title&deleted=1", { page: "dashboard", query: { search: "plan b", sort: "title", order: "asc", deleted: true } }],
    ["/?sort=created&order=asc", { page: "dashboard", query: { ...usual, sort: "created", order: "asc" } }],
    ["/?sort=price&order=up&deleted=maybe", { page: "dashboard", query: usual }],
    ["/nb/n1", { page: "notebook", id: "n1", slug: "" }],
    ["/nb/n1/", { page: "notebook", id: "n1", slug: "" }],
    ["/nb/n1/the-plan", { page: "notebook", id: "n1", slug: "the-plan" }],
    ["/nb/a%2Fb/c/d", { page: "notebook", id: "a/b", slug: "c/d" }],
    ["/nb/%ff/x", { page: "missing" }],
    ["/nb/", { page: "missing" }],
    ["/elsewhere", { page: "missing" }],
  ];
  test.each(routes)("%s", (address, want) => {
    expect(read(address)).toEqual(want);
  });
});

describe("a route is written as the address that it is read from", () => {
  const routes: readonly Route[] = [
    dashboard(),
    dashboard({ search: "a&b=c", sort: "title", order: "desc", deleted: true }),
    notebook("n1", "Plan"),
    notebook("a/b?c#d", "日本 #1"),
    notebook("n1", ""),
  ];
  test.each(routes)("%j", (route) => {
    expect(read(addressOf(route))).toEqual(route);
  });
});

test("a search in an address is no longer than the server takes", () => {
  expect(parseQuery(`?q=${"x".repeat(500)}`).search).toHaveLength(64);
});

describe("a title's slug has its letters and digits", () => {
  test.each([
    ["The Plan, 2nd draft!", "the-plan-2nd-draft"],
    ["../../etc/passwd", "etc-passwd"],
    ["<script>", "script"],
    ["日本語 ノート", "日本語-ノート"],
    ["\u202e", ""],
    ["", ""],
    ["x".repeat(100), "x".repeat(60)],
    [`${"x".repeat(59)} y`, "x".repeat(59)],
  ])("%j has %j", (title, want) => {
    expect(slugOf(title)).toBe(want);
  });
});
