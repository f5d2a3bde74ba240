import { useEffect, useMemo, useState } from "react";
import type { OutputsOff } from "../output/context/outputsOff.js";

/**
 * Returns the reason to open a notebook without its outputs: the address has "outputs=off", or the page crashed while it showed
 * the notebook in this tab, as with an output that takes all memory or time. undefined if there is none.
 */
export function useOutputsOff(id: string): OutputsOff | undefined {
  const [why, setWhy] = useState(() => whyOff(id));
  useEffect(() => noteShown(id), [id]);
  return useMemo(() => why && { why, show: () => setWhy(undefined) }, [why]);
}

function whyOff(id: string): OutputsOff["why"] | undefined {
  if (new URLSearchParams(location.search).get("outputs") === "off") return "asked";
  return noted()?.getItem(keyOf(id)) ? "ended" : undefined;
}

/** Marks a notebook as shown while it is visible: a crashed page does not remove the mark. */
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

/** Returns the tab's storage; undefined in a browser that denies it. */
function noted(): Storage | undefined {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}
