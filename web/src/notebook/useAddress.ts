import { useEffect } from "react";
import { useNotebook } from "../core/hooks.js";
import { notebook } from "../routing/route.js";
import { useRouter } from "../routing/router.js";

/** Keeps the title in the page's address up to date. Only the id in it counts. */
export function useAddress(id: string): void {
  const router = useRouter();
  const title = useNotebook()?.title;
  useEffect(() => {
    const now = router.route();
    if (title === undefined || now.page !== "notebook" || now.id !== id) return;
    const named = notebook(id, title);
    if (named.page === "notebook" && named.slug !== now.slug) router.replace(named);
  }, [router, id, title]);
}
