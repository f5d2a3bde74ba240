import { assertNever } from "../lib/assert.js";
import { formatQuery, parseQuery, type Query } from "./query.js";

/** Route is a page and its parameters. */
export type Route =
  | { readonly page: "dashboard"; readonly query: Query }
  | { readonly page: "notebook"; readonly id: string; readonly slug: string }
  | { readonly page: "missing" };

/** Returns the route of the dashboard, by default with all notebooks. */
export function dashboard(query: Query = parseQuery("")): Route {
  return { page: "dashboard", query };
}

/** Returns the route of a notebook, with the slug of its title. */
export function notebook(id: string, title: string): Route {
  return { page: "notebook", id, slug: slugOf(title) };
}

/** Parses the route of an address. */
export function parseRoute({ pathname, search }: { readonly pathname: string; readonly search: string }): Route {
  if (pathname === "/") return dashboard(parseQuery(search));
  const [, id, slug] = /^\/nb\/([^/]+)(?:\/(.*))?$/.exec(pathname) ?? [];
  const known = id === undefined ? undefined : decode(id);
  return known === undefined ? { page: "missing" } : { page: "notebook", id: known, slug: decode(slug ?? "") ?? "" };
}

/** Formats the address of a route. */
export function addressOf(route: Route): string {
  switch (route.page) {
    case "dashboard":
      return `/${formatQuery(route.query)}`;
    case "notebook":
      return `/nb/${encodeURIComponent(route.id)}${route.slug === "" ? "" : `/${encodeURIComponent(route.slug)}`}`;
    case "missing":
      return "/";
    default:
      return assertNever(route);
  }
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

const most = 60; // characters: addresses are pasted into lines of text

/** Returns the slug of a title: its letters and digits, with dashes between the words. */
export function slugOf(title: string): string {
  const words =
    title
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  const whole = [...words.join("-")];
  return whole.slice(0, most).join("").replace(/-$/, "");
}
