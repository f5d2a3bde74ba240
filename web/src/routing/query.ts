import type { ListQuery } from "../core/api.js";

/** The sort criteria of the list of notebooks. */
export type Sort = "changed" | "created" | "title";
export type Order = "asc" | "desc";

/** Query is the query of the dashboard, as in its address. */
export interface Query {
  readonly search: string;
  readonly sort: Sort;
  readonly order: Order;
  readonly deleted: boolean;
}

/** The most units of a search. The server takes 200 bytes. */
export const maxSearch = 64;

/** Returns the expected order of a sort criterion: the latest first, titles from A to Z. */
export function usualOrder(sort: Sort): Order {
  return sort === "title" ? "asc" : "desc";
}

/** Parses the query of an address. Missing and invalid values get their defaults. */
export function parseQuery(search: string): Query {
  const values = new URLSearchParams(search);
  const given = values.get("sort");
  const sort = given === "created" || given === "title" ? given : "changed";
  const order = values.get("order");
  return {
    search: (values.get("q") ?? "").slice(0, maxSearch),
    sort,
    order: order === "asc" || order === "desc" ? order : usualOrder(sort),
    deleted: values.get("deleted") === "1",
  };
}

/** Formats a query for an address, without default values: "" or a text that begins with a question mark. */
export function formatQuery(query: Query): string {
  const values = new URLSearchParams();
  if (query.search !== "") values.set("q", query.search);
  if (query.sort !== "changed") values.set("sort", query.sort);
  if (query.order !== usualOrder(query.sort)) values.set("order", query.order);
  if (query.deleted) values.set("deleted", "1");
  return values.size === 0 ? "" : `?${values}`;
}

/** Returns the query after the choice of a sort criterion: the same one again reverses the order. */
export function sortedBy(query: Query, sort: Sort): Query {
  if (query.sort !== sort) return { ...query, sort, order: usualOrder(sort) };
  return { ...query, order: query.order === "asc" ? "desc" : "asc" };
}

/** Returns the server's list query. */
export function listQuery({ search, sort, order, deleted }: Query): ListQuery {
  return { search: search.trim(), sort, order, deleted };
}
