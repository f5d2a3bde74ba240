import type { ListQuery } from "../core/api.js";

/** What the list of notebooks may be sorted by. */
export type Sort = "changed" | "created" | "title";
export type Order = "asc" | "desc";

/** Query is all that the dashboard shows by. It is the query of its address. */
export interface Query {
  readonly search: string;
  readonly sort: Sort;
  readonly order: Order;
  readonly deleted: boolean;
}

/** How many units of a search are looked at. The server takes 200 bytes. */
export const maxSearch = 64;

/** Returns the order in which people expect a sort: the latest first, titles from A to Z. */
export function usualOrder(sort: Sort): Order {
  return sort === "title" ? "asc" : "desc";
}

/** Reads a query from that of an address. What it does not say, or says wrongly, is as usual. */
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

/** Writes a query for an address, with what is not as usual: "" or what begins with a question mark. */
export function formatQuery(query: Query): string {
  const values = new URLSearchParams();
  if (query.search !== "") values.set("q", query.search);
  if (query.sort !== "changed") values.set("sort", query.sort);
  if (query.order !== usualOrder(query.sort)) values.set("order", query.order);
  if (query.deleted) values.set("deleted", "1");
  return values.size === 0 ? "" : `?${values}`;
}

/** Returns the query after somebody chose a sort: choosing the same again turns its order around. */
export function sortedBy(query: Query, sort: Sort): Query {
  if (query.sort !== sort) return { ...query, sort, order: usualOrder(sort) };
  return { ...query, order: query.order === "asc" ? "desc" : "asc" };
}

/** Returns what to ask the server for. */
export function listQuery({ search, sort, order, deleted }: Query): ListQuery {
  return { search: search.trim(), sort, order, deleted };
}
