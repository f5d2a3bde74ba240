import { useMemo } from "react";
import { useApi } from "../core/api.js";
import type { Listing } from "../core/http.js";
import { printable, shorten } from "../lib/printable.js";
import { notebook as notebookRoute } from "../routing/route.js";
import { useRouter } from "../routing/router.js";
import { useToast } from "../ui/toast.js";
import { messageOf } from "./notebookList.js";
import { useImports, useNotebookList } from "./NotebookListProvider.js";

/** Actions are the user's actions on the dashboard. Errors are shown in toasts. */
export interface Actions {
  open(notebook: Listing): void;
  create(): void;
  rename(notebook: Listing, title: string): void;
  duplicate(notebook: Listing): void;
  delete(notebook: Listing): void;
  restore(notebook: Listing): void;
  import(files: readonly File[]): void;
}

/** Returns the actions: always the same object. */
export function useActions(): Actions {
  const api = useApi();
  const list = useNotebookList();
  const imports = useImports();
  const router = useRouter();
  const toast = useToast();
  return useMemo(() => {
    const attempt = (work: Promise<unknown>, what: string) => {
      work.catch((error: unknown) => toast({ kind: "error", text: `${what} ${messageOf(error)}` }));
    };
    const offers = new Map<string, () => void>(); // by notebook: an action on a notebook withdraws its earlier offer
    const offer = (id: string, text: string, label: string, onSelect: () => void) => {
      offers.get(id)?.();
      offers.set(id, toast({ text, action: { label, onSelect } }));
    };
    let creating = false; // so pressing twice does not create two
    const create = async () => {
      if (creating) return;
      creating = true;
      try {
        open(await api.create("Untitled"));
      } finally {
        creating = false;
      }
    };
    const open = (notebook: Listing) => router.go(notebookRoute(notebook.id, notebook.title));
    const restore = (notebook: Listing) => {
      const text = `Restored ${called(notebook)}.`;
      offers.get(notebook.id)?.();
      const restored = list.restore(notebook.id);
      attempt(
        restored.then((back) => offer(back.id, text, "Open", () => open(back))),
        "Not restored.",
      );
    };
    return {
      open,
      restore,
      create: () => attempt(create(), "No notebook was created."),
      rename: (notebook, title) => attempt(list.rename(notebook.id, title), `${called(notebook)} keeps its title.`),
      duplicate: (notebook) => {
        const copied = list.duplicate(notebook.id).then((copy) => offer(copy.id, `Created ${called(copy)}.`, "Open", () => open(copy)));
        attempt(copied, `${called(notebook)} was not duplicated.`);
      },
      delete: (notebook) => {
        const deleted = list.delete(notebook.id).then(() => offer(notebook.id, `Deleted ${called(notebook)}.`, "Undo", () => restore(notebook)));
        attempt(deleted, `${called(notebook)} was not deleted.`);
      },
      import: (files) => {
        void imports.add(files).then((made) => {
          const [only] = made;
          // The notebook is not opened if the user has left the dashboard.
          if (files.length !== 1 || !only || router.route().page !== "dashboard") return;
          imports.clear();
          open(only);
        });
      },
    };
  }, [api, list, imports, router, toast]);
}

function called({ title }: Listing): string {
  return `“${shorten(printable(title), 60)}”`;
}
