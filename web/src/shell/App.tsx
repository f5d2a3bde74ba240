import { ApiContext } from "../core/api.js";
import { NotebookListProvider } from "../dashboard/NotebookListProvider.js";
import { type Router, RouterContext } from "../routing/router.js";
import { type Session, SessionContext } from "../session/session.js";
import { AnnounceProvider } from "../ui/announce.js";
import { ToastProvider } from "../ui/toast.js";
import { ErrorBoundary } from "./ErrorBoundary.js";
import { Shell } from "./Shell.js";

interface Props {
  readonly session: Session;
  readonly router: Router;
}

/** The whole application. */
export function App({ session, router }: Props) {
  return (
    <ErrorBoundary>
      <SessionContext value={session}>
        <ApiContext value={session.api}>
          <RouterContext value={router}>
            <AnnounceProvider>
              <ToastProvider>
                <NotebookListProvider>
                  <Shell />
                </NotebookListProvider>
              </ToastProvider>
            </AnnounceProvider>
          </RouterContext>
        </ApiContext>
      </SessionContext>
    </ErrorBoundary>
  );
}
