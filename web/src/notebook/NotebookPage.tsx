import { useEffect, useState } from "react";
import type { Client } from "../core/client.js";
import { openNotebook } from "../worker/open.js";
import { Notebook } from "./Notebook.js";
import { Skeleton } from "./Skeleton.js";

/** The page of a notebook, connected as long as it is shown. */
export function NotebookPage({ id }: { readonly id: string }) {
  const [client, setClient] = useState<Client>();
  useEffect(() => {
    const opened = openNotebook(id);
    setClient(opened);
    return () => {
      setClient(undefined);
      opened.close();
    };
  }, [id]);
  return client ? <Notebook key={id} id={id} client={client} /> : <Skeleton />;
}
