import { useEffect, useState } from "react";
import { useApi } from "../../core/api.js";
import type { Listing } from "../../core/http.js";
import { printable, shorten } from "../../lib/printable.js";
import { Link } from "../../routing/Link.js";
import { dashboard } from "../../routing/route.js";
import { Button } from "../../ui/Button.js";
import { attempt } from "../state/attempt.js";
import { usePage } from "../state/page.js";
import styles from "./Ended.module.css";

const words: Readonly<Record<string, readonly [string, string]>> = {
  "not-found": ["There is no such notebook", "The address may be cut off, or be of a notebook that is not yours."],
  purged: ["This notebook was removed for good", "It was purged with its history, and this browser has removed what it kept of it."],
  forbidden: ["This notebook is not shared with you", "Ask its owner to share it, then try again."],
  version: ["This page is older than the server", "Reload it to get the new one."],
};

/** Replaces a notebook that the server does not show. */
export function Ended({ code, message }: { readonly code: string; readonly message: string }) {
  const page = usePage();
  const deleted = useDeletedNotebook(page.id, code === "not-found");
  const { restore } = useRestore();
  if (deleted === "unknown") return <main className={styles.ended} aria-busy />;
  const [title, text] = deleted
    ? [`“${shorten(printable(deleted.title), 60)}” was deleted`, "Restore it to go on with it."]
    : (words[code] ?? ["This notebook cannot be opened", message]);
  return (
    <main className={styles.ended}>
      <h2>{title}</h2>
      <p>{text}</p>
      <div className={styles.actions}>
        {deleted && (
          <Button kind="primary" onClick={restore}>
            Restore
          </Button>
        )}
        {code === "version" && (
          <Button kind="primary" onClick={() => location.reload()}>
            Reload
          </Button>
        )}
        {!deleted && code !== "version" && code !== "purged" && <Button onClick={() => page.client.reconnect()}>Try again</Button>}
        <Link to={dashboard()}>All notebooks</Link>
      </div>
    </main>
  );
}

/** Returns a function that restores the notebook and opens it again. */
export function useRestore(): { readonly restore: () => void } {
  const page = usePage();
  const api = useApi();
  const restore = async (): Promise<void> => {
    await api.restore(page.id);
    page.client.reconnect();
  };
  return { restore: () => void attempt(page, restore) };
}

/** Returns the notebook if it is a deleted one of the user's; "unknown" until the answer comes. */
function useDeletedNotebook(id: string, asks: boolean): Listing | undefined | "unknown" {
  const api = useApi();
  const [found, setFound] = useState<Listing | undefined | "unknown">(asks ? "unknown" : undefined);
  useEffect(() => {
    if (!asks) return setFound(undefined);
    const asked = new AbortController();
    const look = async (): Promise<void> => {
      const { notebooks } = await api.list({ deleted: true, limit: 100 }, asked.signal);
      setFound(notebooks.find((notebook) => notebook.id === id));
    };
    look().catch(() => asked.signal.aborted || setFound(undefined));
    return () => asked.abort();
  }, [api, id, asks]);
  return found;
}
