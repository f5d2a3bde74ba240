import { createContext, type ReactNode, useContext, useState, useSyncExternalStore } from "react";
import { useApi } from "../core/api.js";
import { type ImportRow, Imports } from "./imports.js";
import { Library, type Shelf } from "./library.js";

interface Stores {
  readonly library: Library;
  readonly imports: Imports;
}

const LibraryContext = createContext<Stores | undefined>(undefined);

function useStores(): Stores {
  const stores = useContext(LibraryContext);
  if (!stores) throw new Error("the library is used outside LibraryProvider");
  return stores;
}

/** Keeps the list of notebooks, and the files on their way into it, while one looks at other pages. */
export function LibraryProvider({ children }: { readonly children: ReactNode }) {
  const api = useApi();
  const [stores] = useState<Stores>(() => {
    const library = new Library(api);
    return { library, imports: new Imports(api, library.refresh) };
  });
  return <LibraryContext value={stores}>{children}</LibraryContext>;
}

export function useLibrary(): Library {
  return useStores().library;
}

export function useImports(): Imports {
  return useStores().imports;
}

/** Returns the notebooks that are shown. */
export function useShelf(): Shelf {
  const library = useLibrary();
  return useSyncExternalStore(library.listen, library.shelf);
}

/** Returns the files on their way. */
export function useImportRows(): readonly ImportRow[] {
  const imports = useImports();
  return useSyncExternalStore(imports.listen, imports.rows);
}
