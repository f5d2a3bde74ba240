import { type RefObject, useEffect } from "react";
import { type Key, Presses } from "./keys.js";
import type { Page } from "./page.js";
import { may } from "./role.js";

/** Does what the keys of command mode say, as long as nobody types in a field. */
export function useKeys(page: Page, root: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const presses = new Presses(page.mac);
    const forget = (): void => presses.forget();
    const down = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || !isOurs(root.current, event.target)) return;
      if (page.desk.state.mode === "edit") return backToEditor(page, event);
      if (isLeft(event)) return presses.forget();
      const row = presses.press(event);
      if (row && allowed(page, row)) {
        event.preventDefault();
        page.act(row.action);
      }
    };
    document.addEventListener("keydown", down);
    document.addEventListener("visibilitychange", forget);
    window.addEventListener("focus", forget);
    return () => {
      document.removeEventListener("keydown", down);
      document.removeEventListener("visibilitychange", forget);
      window.removeEventListener("focus", forget);
    };
  }, [page, root]);
}

/** While one types in a cell no key is a command, not even if the browser has lost the focus, as after sleep. */
function backToEditor({ desk }: Page, event: KeyboardEvent): void {
  const { active } = desk.state;
  if (event.target === document.body && active !== undefined && !event.metaKey && !event.ctrlKey) desk.editor(active)?.focus("keep");
}

function allowed(page: Page, { needs }: Key): boolean {
  return needs === undefined || may(page.client.store.status(), needs);
}

/** Whether something is on this page and no field, or nothing has the focus. */
export function isOurs(root: HTMLElement | null, target: EventTarget | null): boolean {
  if (target === document.body || target === document) return true;
  return target instanceof HTMLElement && (root?.contains(target) ?? false) && !isField(target);
}

function isField(target: HTMLElement): boolean {
  return target.isContentEditable || target.closest("input, textarea, select, [contenteditable=''], [contenteditable='true'], [role='textbox'], [role='menu']") !== null;
}

/** Whether a key is left to what has the focus: a button is pressed and an output scrolled by it. */
function isLeft({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement) || target === document.body || target.dataset["group"] === "cell") return false;
  return target.closest("[data-list]") === null ? key === "Enter" || key === " " : /^(Enter| |Arrow\w+|Page\w+)$/.test(key);
}

