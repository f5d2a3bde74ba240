import { type RefObject, useEffect } from "react";
import { may } from "../core/may.js";
import type { EditorHandle } from "../editor/Editor.js";
import { isText, type Key, Presses } from "./state/keymap.js";
import { isTypedIn } from "./state/lostFocus.js";
import type { Page } from "./state/page.js";

/** Handles the keys of command mode, except in fields. */
export function useKeys(page: Page, root: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const presses = new Presses(page.mac);
    const forget = (): void => presses.forget();
    const command = (event: KeyboardEvent): void => {
      const row = presses.press(event);
      if (row && allowed(page, row)) {
        event.preventDefault();
        page.act(row.action);
      }
    };
    const down = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || !isOurs(root.current, event.target)) return;
      if (page.ui.state.mode === "edit") return backToEditor(page, event);
      if (isLeft(event) || isLost(page, event)) return presses.forget();
      command(event);
    };
    const isHeld = (event: KeyboardEvent): boolean => !event.isComposing && isForCells(root.current, event) && (isText(event) || presses.knows(event));
    const touch = (event: Event): void => {
      if (!(event instanceof KeyboardEvent && modifiers.has(event.key))) page.ui.touched();
    };
    const framed = (): void => {
      const cell =
        document.activeElement instanceof HTMLIFrameElement ? document.activeElement.closest<HTMLElement>("[data-cell]")?.dataset["cell"] : undefined;
      if (cell !== undefined) page.ui.entered(cell, "command"); // the focus of a frame has no other event
    };
    const stop = page.lostFocus.listen();
    const release = holdKeys(page, isHeld, command);
    window.addEventListener("blur", framed);
    document.addEventListener("keydown", touch, true);
    document.addEventListener("pointerdown", touch, true);
    document.addEventListener("keydown", down);
    document.addEventListener("visibilitychange", forget);
    window.addEventListener("focus", forget);
    return () => {
      stop();
      release();
      window.removeEventListener("blur", framed);
      document.removeEventListener("keydown", touch, true);
      document.removeEventListener("pointerdown", touch, true);
      document.removeEventListener("keydown", down);
      document.removeEventListener("visibilitychange", forget);
      window.removeEventListener("focus", forget);
    };
  }, [page, root]);
}

const modifiers: ReadonlySet<string> = new Set(["Shift", "Control", "Alt", "Meta"]);

/** Whether a key was meant for a field that others have removed. Escape and Tab are choices to continue here. */
function isLost({ lostFocus, ui }: Page, { key }: KeyboardEvent): boolean {
  if (!lostFocus.lost) return false;
  if (key === "Escape" || key === "Tab") {
    lostFocus.chosen();
    return false;
  }
  if (!modifiers.has(key)) ui.say("The field that you typed in is gone. Press Escape to use the keys of the notebook.");
  return true;
}

/** In edit mode no key is a command, not even if the browser has lost the focus, as after sleep. */
function backToEditor({ ui }: Page, event: KeyboardEvent): void {
  const { active } = ui.state;
  if (event.target === document.body && active !== undefined && !event.metaKey && !event.ctrlKey) ui.editor(active)?.focus("keep");
}

/** Why held keys are dropped. */
const reasons = { editor: "The cell's editor did not open", core: "The notebook's core did not start" };

/** Holds keys while they must wait, and then passes them to the editor or to the commands. Returns the function that ends this. */
function holdKeys(page: Page, isHeld: (event: KeyboardEvent) => boolean, command: (event: KeyboardEvent) => void): () => void {
  const { heldKeys, ui } = page;
  const hold = (event: KeyboardEvent): void => {
    if (!heldKeys.waiting || !isHeld(event)) return;
    event.preventDefault();
    event.stopPropagation();
    heldKeys.hold(event);
  };
  const elsewhere = (): void => {
    heldKeys.forget();
    ui.pointed();
  };
  const broke = (): void => heldKeys.broke();
  window.addEventListener("quire:broken", broke);
  document.addEventListener("keydown", hold, true);
  document.addEventListener("pointerdown", elsewhere, true);
  const release = heldKeys.pressedBy({
    target: () => targetOf(page),
    press: (event) => (ui.state.mode === "edit" ? inEditor(page)?.press(event) : command(event)),
    dropped: (missing) => page.note({ kind: "error", text: `${reasons[missing]}, so the keys for it were dropped. Reload the page.` }),
  });
  return () => {
    window.removeEventListener("quire:broken", broke);
    document.removeEventListener("keydown", hold, true);
    document.removeEventListener("pointerdown", elsewhere, true);
    release();
  };
}

/** Whether a key is for the cells, or for the text of the active cell while its editor is not there yet. */
function isForCells(root: HTMLElement | null, event: KeyboardEvent): boolean {
  const { target } = event;
  if (target instanceof HTMLElement && root?.contains(target) && target.closest("[data-editor]")) return true;
  return isOurs(root, target) && !isLeft(event);
}

/** Returns the editor of the active cell in edit mode, once it has the focus. */
function inEditor({ ui }: Page): EditorHandle | undefined {
  const { active } = ui.state;
  const there = document.activeElement?.closest("[data-editor]")?.closest<HTMLElement>("[data-cell]")?.dataset["cell"];
  return active === undefined || there !== active ? undefined : ui.editor(active);
}

/** Tells whether the next key's target has the focus: the notebook in command mode, the active cell's editor in edit mode. */
function targetOf(page: Page): "focused" | "coming" | "gone" {
  const { active, mode } = page.ui.state;
  if (mode === "command" || inEditor(page)) return "focused";
  const focused = document.activeElement;
  const elsewhere = focused !== null && focused !== document.body && focused.closest("[data-list]") === null;
  return active === undefined || elsewhere ? "gone" : "coming";
}

function allowed(page: Page, { needs }: Key): boolean {
  return needs === undefined || may(page.client.store.status()?.role, needs);
}

/** Whether an element is on this page and no field, or nothing has the focus. */
export function isOurs(root: HTMLElement | null, target: EventTarget | null): boolean {
  if (target === document.body || target === document) return true;
  return target instanceof HTMLElement && (root?.contains(target) ?? false) && !isField(target);
}

function isField(target: HTMLElement): boolean {
  return target.isContentEditable || isTypedIn(target);
}

/** Whether a key belongs to the focused element: it presses a button or scrolls an output. */
function isLeft({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement) || target === document.body || target.dataset["group"] === "cell") return false;
  return target.closest("[data-list]") === null ? key === "Enter" || key === " " : /^(Enter| |Arrow\w+|Page\w+)$/.test(key);
}
