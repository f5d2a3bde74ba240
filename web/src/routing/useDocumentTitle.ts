import { useEffect } from "react";
import { printable } from "../lib/printable.js";

const product = "Quire";

/** Names the page for the browser's tabs and history. */
export function useDocumentTitle(name: string): void {
  useEffect(() => {
    const shown = printable(name, "");
    document.title = shown === "" ? product : `${shown} – ${product}`;
  }, [name]);
}
