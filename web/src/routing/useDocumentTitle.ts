import { useEffect } from "react";
import { printable } from "../lib/printable.js";

const product = "Quire";

/** Sets the title of the document. */
export function useDocumentTitle(name: string): void {
  useEffect(() => {
    const shown = printable(name, "");
    document.title = shown === "" ? product : `${shown} – ${product}`;
  }, [name]);
}
