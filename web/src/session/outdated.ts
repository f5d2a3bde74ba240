import { useEffect, useState } from "react";

/** Marks a tab that has reloaded for a newer server, and has not been connected since. */
const key = "quire.reloaded";

/**
 * Reports whether the page may reload by itself to become as new as the server: a reload that brought the old page again is not
 * repeated.
 */
export function mayReload(): boolean {
  try {
    return sessionStorage.getItem(key) === null;
  } catch {
    return false; // without storage it could reload for ever
  }
}

/** Records a reload, or a successful connection. Reports whether it was stored. */
export function remember(reloads: boolean): boolean {
  try {
    if (reloads) sessionStorage.setItem(key, "yes");
    else sessionStorage.removeItem(key);
    return true;
  } catch {
    return false;
  }
}

/** Returns whether a part of the page could not be loaded from an answering server, which then has another build. */
export function useOutdated(): boolean {
  const [outdated, setOutdated] = useState(false);
  useEffect(() => {
    const hear = (): void => setOutdated(true);
    window.addEventListener("quire:outdated", hear);
    return () => window.removeEventListener("quire:outdated", hear);
  }, []);
  return outdated;
}
