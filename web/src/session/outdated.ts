import { useEffect, useState } from "react";

/** Says that this tab has reloaded because the server is newer, and has not been connected since. */
const key = "quire.reloaded";

/** Reports whether the page may reload by itself to become as new as the server: a reload that brought the old page again is followed by no other. */
export function mayReload(): boolean {
  try {
    return sessionStorage.getItem(key) === null;
  } catch {
    return false; // what cannot be remembered could go on for ever
  }
}

/** Remembers that the page reloads, or that all is well. Reports whether it could. */
export function remember(reloads: boolean): boolean {
  try {
    if (reloads) sessionStorage.setItem(key, "yes");
    else sessionStorage.removeItem(key);
    return true;
  } catch {
    return false;
  }
}

/** Returns whether a part of the page could not be loaded from a server that answers: it has another build. */
export function useOutdated(): boolean {
  const [outdated, setOutdated] = useState(false);
  useEffect(() => {
    const hear = (): void => setOutdated(true);
    window.addEventListener("quire:outdated", hear);
    return () => window.removeEventListener("quire:outdated", hear);
  }, []);
  return outdated;
}
