import { createContext, type ReactNode, useContext, useState, useSyncExternalStore } from "react";
import { useApi } from "../core/api.js";
import { type ImportRow, Imports } from "./imports.js";
import { NotebookList, type ListSnapshot } from "./notebookList.js";

interface Stores {
  readonly list: NotebookList;
  readonly imports: Imports;
}

const NotebookListContext = createContext<Stores | undefined>(undefined);

function useStores(): Stores {
  const stores = useContext(NotebookListContext);
  if (!stores) throw new Error("the list is used outside NotebookListProvider");
  return stores;
}

/** Keeps the list of notebooks and the imports while other pages are shown. */
export function NotebookListProvider({ children }: { readonly children: ReactNode }) {
  const api = useApi();
  const [stores] = useState<Stores>(() => {
    const list = new NotebookList(api);
    return { list, imports: new Imports(api, list.refresh) };
  });
  return <NotebookListContext value={stores}>{children}</NotebookListContext>;
}

export function useNotebookList(): NotebookList {
  return useStores().list;
}

export function useImports(): Imports {
  return useStores().imports;
}

/** Returns the listed notebooks. */
export function useListSnapshot(): ListSnapshot {
  const list = useNotebookList();
  return useSyncExternalStore(list.listen, list.snapshot);
}

/** Returns the imported files. */
export function useImportRows(): readonly ImportRow[] {
  const imports = useImports();
  return useSyncExternalStore(imports.listen, imports.rows);
}
