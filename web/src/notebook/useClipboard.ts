import { type RefObject, useEffect } from "react";
import { may } from "../core/may.js";
import { pasteItems, remove } from "./state/actions.js";
import { attempt } from "./state/attempt.js";
import { copies } from "./state/clipboard.js";
import type { Page } from "./state/page.js";
import { isOurs } from "./useKeys.js";

/** Handles the browser's copy, cut and paste in command mode: they apply to cells. */
export function useClipboard(page: Page, root: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { ui, client, clipboard, lostFocus } = page;
    const ours = (event: Event): boolean => ui.state.mode === "command" && !lostFocus.lost && isOurs(root.current, event.target);
    const give = (event: ClipboardEvent): boolean => {
      const cells = ui.selection();
      if (!event.clipboardData || cells.length === 0 || !ours(event) || document.getSelection()?.isCollapsed === false) return false;
      clipboard.give(copies(client.store, cells), event.clipboardData);
      event.preventDefault();
      return true;
    };
    const copy = (event: ClipboardEvent): void => {
      if (give(event)) ui.say("Copied.");
    };
    const cut = (event: ClipboardEvent): void => {
      if (may(client.store.status()?.role, "edit") && give(event)) void attempt(page, () => remove(page, ui.selection()));
    };
    const paste = (event: ClipboardEvent): void => {
      if (!event.clipboardData || !ours(event) || !may(client.store.status()?.role, "edit")) return;
      const items = clipboard.from(event.clipboardData, "code");
      event.preventDefault();
      void attempt(page, () => pasteItems(page, items, "below"));
    };
    document.addEventListener("copy", copy);
    document.addEventListener("cut", cut);
    document.addEventListener("paste", paste);
    return () => {
      document.removeEventListener("copy", copy);
      document.removeEventListener("cut", cut);
      document.removeEventListener("paste", paste);
    };
  }, [page, root]);
}
