import { useEffect, useMemo, useState } from "react";
import type { Quiet } from "../output/context/quiet.js";

/**
 * Returns why a notebook is opened without its outputs: since the address says "outputs=off", or since the page ended by itself while
 * it showed the notebook in this tab, as one does that an output takes all memory or time of. undefined if it is opened as always.
 */
export function useQuiet(id: string): Quiet | undefined {
  const [why, setWhy] = useState(() => whyQuiet(id));
  useEffect(() => noteShown(id), [id]);
  return useMemo(() => why && { why, show: () => setWhy(undefined) }, [why]);
}

function whyQuiet(id: string): Quiet["why"] | undefined {
  if (new URLSearchParams(location.search).get("outputs") === "off") return "asked";
  return noted()?.getItem(keyOf(id)) ? "ended" : undefined;
}

/** Notes that a notebook is in sight, until it is not: a page that ends by itself never gets to take the note away. */
function noteShown(id: string): () => void {
  const key = keyOf(id);
  const note = (): void => (document.visibilityState === "hidden" ? noted()?.removeItem(key) : noted()?.setItem(key, "1"));
  const end = (): void => noted()?.removeItem(key);
  note();
  document.addEventListener("visibilitychange", note);
  window.addEventListener("pagehide", end);
  return () => {
    document.removeEventListener("visibilitychange", note);
    window.removeEventListener("pagehide", end);
    end();
  };
}

function keyOf(id: string): string {
  return `quire/shown/${id}`;
}

/** Returns where the tab keeps notes; undefined in a browser that lets no page keep any. */
function noted(): Storage | undefined {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}
