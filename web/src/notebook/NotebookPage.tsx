import { useEffect, useLayoutEffect, useState } from "react";
import { useSession } from "../app/session.js";
import type { Client } from "../core/client.js";
import { Banner } from "../ui/Banner.js";
import { openNotebook } from "../worker/open.js";
import { Notebook } from "./Notebook.js";

/** The page of a notebook, connected as long as it is shown. */
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
  const { signOut } = useSession();
  useEffect(() => {
    window.addEventListener("quire:signed-out", signOut);
    return () => window.removeEventListener("quire:signed-out", signOut);
  }, [signOut]);
  const broken = useBroken();
  if (broken !== undefined && !(client?.store.notebook() && !client.store.live())) throw new Error(`The notebook's core stopped: ${broken}`); // the page's boundary shows it
  if (!client) return null;
  return (
    <>
      {broken !== undefined && <Banner kind="error">Nothing that you type here is saved, for the notebook's core did not start: {broken}. Copy what you typed, then reload the page.</Banner>}
      <Notebook key={id} id={id} client={client} />
    </>
  );
}

/** Why the core of this page stopped, if it did. */
function useBroken(): string | undefined {
  const [broken, setBroken] = useState<string>();
  useEffect(() => {
    const hear = (event: Event): void => setBroken(event instanceof CustomEvent ? String(event.detail) : event.type);
    window.addEventListener("quire:broken", hear);
    return () => window.removeEventListener("quire:broken", hear);
  }, []);
  return broken;
}
