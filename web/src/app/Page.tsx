import { lazy } from "react";
import { assertNever } from "../core/assert.js";
import { MissingPage } from "./MissingPage.js";
import type { Route } from "./route.js";

// Each page is loaded when somebody goes there.
const DashboardPage = lazy(async () => ({ default: (await import("../dashboard/DashboardPage.js")).DashboardPage }));
const NotebookPage = lazy(async () => ({ default: (await import("../notebook/NotebookPage.js")).NotebookPage }));

/** The page of a route. */
export function Page({ route }: { readonly route: Route }) {
  switch (route.page) {
    case "dashboard":
      return <DashboardPage query={route.query} />;
    case "notebook":
      return <NotebookPage key={route.id} id={route.id} />;
    case "missing":
      return <MissingPage />;
    default:
      return assertNever(route);
  }
}
