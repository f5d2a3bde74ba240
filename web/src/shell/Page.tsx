import { lazy, useState } from "react";
import { assertNever } from "../lib/assert.js";
import { lazily } from "../lib/lazily.js";
import type { Route } from "../routing/route.js";
import { MissingPage } from "./MissingPage.js";

// Each page is loaded when somebody goes there.
const notebookPage = lazily(() => import("../notebook/NotebookPage.js"));
const dashboardPage = lazily(() => import("../dashboard/DashboardPage.js"));
const DashboardPage = lazy(async () => ({ default: (await dashboardPage.load()).DashboardPage }));
const LazyNotebookPage = lazy(async () => ({ default: (await notebookPage.load()).NotebookPage }));

/**
 * Resolves when the page of a notebook can be rendered at once. The first screen has all there is to see until then, so
 * that a page which says that one is to come would be work for nothing.
 */
export async function notebookLoaded(): Promise<void> {
  await notebookPage.load();
}

/** The page of a notebook: without a pause if it is loaded already. */
function NotebookPage({ id }: { readonly id: string }) {
  const [Shown] = useState(() => notebookPage.get()?.NotebookPage ?? LazyNotebookPage); // for ever, or it would be made anew
  return <Shown id={id} />;
}

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
