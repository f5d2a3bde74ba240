import { createContext, useContext, useEffect, useSyncExternalStore } from "react";
import { addressOf, notebook, parseRoute, type Route } from "./route.js";

/** Router is the page's position in the history of its window. */
export class Router {
  readonly #window: Window;
  readonly #listeners = new Set<() => void>();
  #route: Route;
  #moved = false;

  constructor(window: Window) {
    this.#window = window;
    this.#route = parseRoute(window.location);
  }

  readonly route = (): Route => this.#route;

  /** Reports whether the user has gone to another page since the load. */
  readonly moved = (): boolean => this.#moved;

  /** Subscribes f to changes. Returns the unsubscribe function. */
  readonly listen = (f: () => void): (() => void) => {
    this.#listeners.add(f);
    return () => void this.#listeners.delete(f);
  };

  /** Goes to a route, with a new entry in the history. */
  readonly go = (route: Route): void => {
    this.#window.history.pushState(null, "", addressOf(route));
    if (this.#arrive()) this.#window.scrollTo(0, 0);
  };

  /** Replaces the address of the same page, without a new entry in the history. */
  readonly replace = (route: Route): void => {
    this.#window.history.replaceState(null, "", addressOf(route));
    this.#arrive();
  };

  /** Follows the browser's Back and Forward buttons. Returns the function that ends this. */
  readonly start = (): (() => void) => {
    const follow = () => void this.#arrive();
    this.#window.addEventListener("popstate", follow);
    return () => this.#window.removeEventListener("popstate", follow);
  };

  /** Takes the route of the address, and reports whether it is another page. */
  #arrive(): boolean {
    const before = this.#route;
    this.#route = parseRoute(this.#window.location);
    const other = placeOf(before) !== placeOf(this.#route);
    this.#moved ||= other;
    for (const f of this.#listeners) f();
    return other;
  }
}

/** Returns the identity of a route's page, without its parameters. */
export function placeOf(route: Route): string {
  return route.page === "notebook" ? `notebook ${route.id}` : route.page;
}

/** RouterContext holds the router of the page. */
export const RouterContext = createContext<Router | undefined>(undefined);

/** Returns the router of the page. */
export function useRouter(): Router {
  const router = useContext(RouterContext);
  if (!router) throw new Error("useRouter is called outside the page");
  return router;
}

/** Returns the present route. */
export function useRoute(): Route {
  const router = useRouter();
  return useSyncExternalStore(router.listen, router.route);
}

/**
 * Keeps the title in the address of a notebook's page up to date. It does nothing before the title is known, and nothing
 * without a router.
 */
export function useTitleInAddress(id: string, title: string | undefined): void {
  const router = useContext(RouterContext);
  useEffect(() => {
    const here = router?.route();
    if (title === undefined || here?.page !== "notebook" || here.id !== id) return;
    const to = notebook(id, title);
    if (addressOf(to) !== addressOf(here)) router?.replace(to);
  }, [router, id, title]);
}
