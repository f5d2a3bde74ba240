import { useEffect, useLayoutEffect, useState } from "react";
import type { Client } from "../core/client.js";
import { inUse } from "../editor/inUse.js";
import { nextPaint } from "../lib/nextPaint.js";
import { Banner } from "../ui/Banner.js";
import { openNotebook } from "../worker/open.js";
import { Notebook } from "./Notebook.js";
import { TrustBanner } from "./notices/TrustBanner.js";
import { useReportedSignOut } from "./useReportedSignOut.js";

/** The page of a notebook, connected while it is shown. */
export function NotebookPage({ id }: { readonly id: string }) {
  const [client, setClient] = useState<Client>();
  useLayoutEffect(() => {
    const opened = openNotebook(id); // its first rows are painted with the page
    setClient(opened);
    return () => {
      setClient(undefined);
      opened.close();
    };
  }, [id]);
  useEffect(() => void nextPaint().then(() => inUse.load()), []);
  useReportedSignOut();
  const broken = useBroken();
  const loading = useLoading(client);
  if (broken !== undefined && !(client?.store.notebook() && !client.store.live())) throw new Error(`The notebook's core stopped: ${broken}`); // the page's error boundary shows it
  if (!client) return null;
  return (
    <>
      {loading !== undefined && broken === undefined && (
        <Banner kind="warn">This notebook is still loading: {loading}. It is tried again and again. What you type meanwhile is not saved yet.</Banner>
      )}
      {broken !== undefined && (
        <Banner kind="error">
          Nothing that you type here is saved, for the notebook's core did not start: {broken}. Copy what you typed, then reload the page.
        </Banner>
      )}
      <Notebook key={id} id={id} client={client} />
      <TrustBanner key={`trust ${id}`} id={id} />
    </>
  );
}

/** The reason that the core is not loaded yet, if the first attempt failed; undefined once it is loaded. */
function useLoading(client: Client | undefined): string | undefined {
  const [reason, setReason] = useState<string>();
  useEffect(() => {
    const hear = (event: Event): void => setReason(event instanceof CustomEvent ? String(event.detail) : undefined);
    window.addEventListener("quire:loading", hear);
    const stop = client?.store.listen("live", () => setReason(undefined));
    return () => {
      window.removeEventListener("quire:loading", hear);
      stop?.();
    };
  }, [client]);
  return reason;
}

/** The error that stopped the core, if one did. */
function useBroken(): string | undefined {
  const [broken, setBroken] = useState<string>();
  useEffect(() => {
    const hear = (event: Event): void => setBroken(event instanceof CustomEvent ? String(event.detail) : event.type);
    window.addEventListener("quire:broken", hear);
    return () => window.removeEventListener("quire:broken", hear);
  }, []);
  return broken;
}
