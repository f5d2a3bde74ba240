import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { ApiContext } from "../src/core/api.js";
import { DashboardPage } from "../src/dashboard/DashboardPage.js";
import { NotebookListProvider } from "../src/dashboard/NotebookListProvider.js";
import { Router, RouterContext, useRoute } from "../src/routing/router.js";
import { Session, SessionContext } from "../src/session/session.js";
import { AnnounceProvider } from "../src/ui/announce.js";
import { ToastProvider } from "../src/ui/toast.js";
import type { MemoryServer } from "./memoryServer.js";

function Routed() {
  const route = useRoute();
  return route.page === "dashboard" ? <DashboardPage query={route.query} /> : <main>Another page</main>;
}

/** Renders the dashboard of a server at an address. */
export function showDashboard(server: MemoryServer, address = "/") {
  history.replaceState(null, "", address);
  const session = new Session({ fetch: server.fetch });
  void session.ask();
  const { container } = render(
    <SessionContext value={session}>
      <ApiContext value={session.api}>
        <RouterContext value={new Router(window)}>
          <AnnounceProvider>
            <ToastProvider>
              <NotebookListProvider>
                <Routed />
              </NotebookListProvider>
            </ToastProvider>
          </AnnounceProvider>
        </RouterContext>
      </ApiContext>
    </SessionContext>,
  );
  return { user: userEvent.setup(), session, container };
}

/** Returns the titles in the list, in order, once it is loaded. */
export async function shownTitles(): Promise<readonly (string | undefined)[]> {
  await screen.findByRole("table");
  return screen.queryAllByRole("rowheader").map((head) => head.querySelector("bdi")?.textContent);
}
