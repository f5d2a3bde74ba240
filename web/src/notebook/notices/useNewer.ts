import { useEffect, useRef, useState } from "react";
import { useStatusOf } from "../../core/hooks.js";
import { mayReload, remember, useOutdated } from "../../session/outdated.js";
import type { Page } from "../state/page.js";

/** The time without user actions before the page reloads by itself, in milliseconds. */
const quiet = 3_000;
const step = 500;

/**
 * Reloads the page when the server speaks a newer protocol or has another build of the page: once the user pauses and the
 * browser has stored the unsent events. It does so once; a reload that brings the old page again is not repeated. Returns
 * whether the page is older than the server, and whether it will reload by itself.
 */
export function useNewer(
  { client: { store }, ui }: Page,
  reload: () => void = () => location.reload(),
): { readonly newer: boolean; readonly reloads: boolean } {
  const refused = useStatusOf((status) => status?.closed?.code === "version");
  const outdated = useOutdated();
  const newer = refused || outdated;
  const online = useStatusOf((status) => status?.online ?? false);
  const unstored = useStatusOf((status) => status?.unstored !== undefined);
  const [may, setMay] = useState(true);
  const latest = useRef(reload);
  useEffect(() => {
    latest.current = reload;
  });
  useEffect(() => {
    if (online) remember(false);
  }, [online]);
  useEffect(() => {
    if (!newer) return undefined;
    if (!mayReload()) return setMay(false);
    let last = Date.now();
    const note = (): void => {
      last = Date.now();
    };
    const look = async (): Promise<void> => {
      if (Date.now() - last < quiet || store.status()?.unstored !== undefined || isWriting()) return;
      clearInterval(timer);
      await ui.flush().catch(() => {}); // the editor itself reports a failure
      if (!remember(true)) return setMay(false);
      latest.current();
    };
    const timer = setInterval(() => void look(), step);
    for (const name of acts) document.addEventListener(name, note, true);
    return () => {
      clearInterval(timer);
      for (const name of acts) document.removeEventListener(name, note, true);
    };
  }, [newer, store, ui]);
  return { newer, reloads: newer && may && !unstored };
}

const acts = ["keydown", "input", "pointerdown", "compositionupdate"] as const;

/** Whether the user has begun to fill in a field that a reload would clear. */
function isWriting(): boolean {
  const { activeElement: field } = document;
  return (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) && field.value !== "" && field.value !== field.defaultValue;
}
