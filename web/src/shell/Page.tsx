import { lazy, useState } from "react";
import { assertNever } from "../lib/assert.js";
import { lazily } from "../lib/lazily.js";
import type { Route } from "../routing/route.js";
import { MissingPage } from "./MissingPage.js";

// Each page is loaded on the first visit.
const notebookPage = lazily(() => import("../notebook/NotebookPage.js"));
const dashboardPage = lazily(() => import("../dashboard/DashboardPage.js"));
const DashboardPage = lazy(async () => ({ default: (await dashboardPage.load()).DashboardPage }));
const LazyNotebookPage = lazy(async () => ({ default: (await notebookPage.load()).NotebookPage }));

/**
 * Resolves when the page of a notebook can be rendered at once. Until then the server's first screen is shown, so rendering a
 * placeholder would be wasted.
 */
export async function notebookLoaded(): Promise<void> {
  await notebookPage.load();
}

/** The page of a notebook: rendered without suspending if it is loaded already. */
function NotebookPage({ id }: { readonly id: string }) {
  const [Shown] = useState(() => notebookPage.get()?.NotebookPage ?? LazyNotebookPage); // once: another component would be mounted again
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
