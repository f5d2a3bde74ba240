import { createContext, useContext, useEffect, useSyncExternalStore } from "react";
import { addressOf, notebook, parseRoute, type Route } from "./route.js";

/** Router is the page's place in the history of its window. */
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

  /** Reports whether the page was another one since it was loaded. */
  readonly moved = (): boolean => this.#moved;

  /** Calls f after each change, until the function that is returned is called. */
  readonly listen = (f: () => void): (() => void) => {
    this.#listeners.add(f);
    return () => void this.#listeners.delete(f);
  };

  /** Goes to a route; the way back leads here. */
  readonly go = (route: Route): void => {
    this.#window.history.pushState(null, "", addressOf(route));
    if (this.#arrive()) this.#window.scrollTo(0, 0);
  };

  /** Changes what the address says of the same place; the way back leads to the one before. */
  readonly replace = (route: Route): void => {
    this.#window.history.replaceState(null, "", addressOf(route));
    this.#arrive();
  };

  /** Follows the buttons of the browser. Returns what ends that. */
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

/** Returns what a route shows, apart from how. */
export function placeOf(route: Route): string {
  return route.page === "notebook" ? `notebook ${route.id}` : route.page;
}

/** RouterContext has the router of the page. */
export const RouterContext = createContext<Router | undefined>(undefined);

/** Returns the router of the page. */
export function useRouter(): Router {
  const router = useContext(RouterContext);
  if (!router) throw new Error("useRouter is called outside the page");
  return router;
}

/** Returns the route that the page shows. */
export function useRoute(): Route {
  const router = useRouter();
  return useSyncExternalStore(router.listen, router.route);
}

/**
 * Makes the address of a notebook's page say its title, whatever stood there. It does nothing
 * before the title is known, and nothing where there is no router.
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
