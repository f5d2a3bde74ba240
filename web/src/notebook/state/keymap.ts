import type { KeyBinding } from "@codemirror/view";
import type { Action } from "../../core/protocol.js";

/** ActionName is the name of an action of a key, a button or a menu. */
export type ActionName =
  | "edit"
  | "command"
  | "insertAbove"
  | "insertBelow"
  | "delete"
  | "undo"
  | "redo"
  | "cut"
  | "copy"
  | "paste"
  | "pasteAbove"
  | "toCode"
  | "toMarkdown"
  | "toRaw"
  | "heading1"
  | "heading2"
  | "heading3"
  | "heading4"
  | "heading5"
  | "heading6"
  | "previous"
  | "next"
  | "extendPrevious"
  | "extendNext"
  | "first"
  | "last"
  | "selectAll"
  | "moveUp"
  | "moveDown"
  | "merge"
  | "split"
  | "toggleOutputs"
  | "scrollOutputs"
  | "toggleNumbers"
  | "toggleAllNumbers"
  | "scrollDown"
  | "scrollUp"
  | "menu"
  | "runNext"
  | "runHere"
  | "runInsert"
  | "interrupt"
  | "restart"
  | "find"
  | "variables"
  | "save"
  | "help";

/** Key is a row of the keymap. */
export interface Key {
  /** Alternative key presses in CodeMirror's notation; a space separates two presses in a row. */
  readonly keys: readonly string[];
  readonly mode: "command" | "edit" | "both";
  readonly action: ActionName;
  readonly label: string;
  readonly group: Group;
  readonly needs?: Action;
  /** Holding the key repeats the action. */
  readonly repeat?: true;
}

export type Group = "Run" | "Cells" | "Move around" | "Change" | "Show";

/** The keymap: Jupyter's, with a few additions. */
export const keymap: readonly Key[] = [
  { keys: ["Shift-Enter"], mode: "both", action: "runNext", label: "Run and go to the next cell", group: "Run" },
  { keys: ["Ctrl-Enter", "Mod-Enter"], mode: "both", action: "runHere", label: "Run and stay", group: "Run" },
  { keys: ["Alt-Enter"], mode: "both", action: "runInsert", label: "Run and insert a cell below", group: "Run" },
  { keys: ["i i"], mode: "command", action: "interrupt", label: "Stop all runs", group: "Run", needs: "run" },
  { keys: ["0 0"], mode: "command", action: "restart", label: "Restart the runtime", group: "Run", needs: "run" },

  { keys: ["Enter"], mode: "command", action: "edit", label: "Edit the cell", group: "Move around" },
  { keys: ["Escape", "Ctrl-m"], mode: "both", action: "command", label: "Switch to command mode", group: "Move around" },
  { keys: ["ArrowUp", "k"], mode: "command", action: "previous", label: "Cell above", group: "Move around", repeat: true },
  { keys: ["ArrowDown", "j"], mode: "command", action: "next", label: "Cell below", group: "Move around", repeat: true },
  { keys: ["Mod-Home"], mode: "command", action: "first", label: "First cell", group: "Move around" },
  { keys: ["Mod-End"], mode: "command", action: "last", label: "Last cell", group: "Move around" },
  { keys: ["Shift-ArrowUp", "Shift-k"], mode: "command", action: "extendPrevious", label: "Select the cell above too", group: "Move around", repeat: true },
  { keys: ["Shift-ArrowDown", "Shift-j"], mode: "command", action: "extendNext", label: "Select the cell below too", group: "Move around", repeat: true },
  { keys: ["Mod-a"], mode: "command", action: "selectAll", label: "Select all cells", group: "Move around" },
  { keys: ["Space"], mode: "command", action: "scrollDown", label: "Scroll down", group: "Move around", repeat: true },
  { keys: ["Shift-Space"], mode: "command", action: "scrollUp", label: "Scroll up", group: "Move around", repeat: true },
  { keys: ["Mod-f"], mode: "command", action: "find", label: "Find and replace in all cells", group: "Move around" },

  { keys: ["a"], mode: "command", action: "insertAbove", label: "Insert a cell above", group: "Cells", needs: "edit" },
  { keys: ["b"], mode: "command", action: "insertBelow", label: "Insert a cell below", group: "Cells", needs: "edit" },
  { keys: ["d d"], mode: "command", action: "delete", label: "Delete", group: "Cells", needs: "edit" },
  { keys: ["z", "Mod-z"], mode: "command", action: "undo", label: "Undo", group: "Cells", needs: "edit" },
  { keys: ["Shift-z", "Mod-Shift-z"], mode: "command", action: "redo", label: "Redo", group: "Cells", needs: "edit" },
  { keys: ["x"], mode: "command", action: "cut", label: "Cut", group: "Cells", needs: "edit" },
  { keys: ["c"], mode: "command", action: "copy", label: "Copy", group: "Cells" },
  { keys: ["v"], mode: "command", action: "paste", label: "Paste below", group: "Cells", needs: "edit" },
  { keys: ["Shift-v"], mode: "command", action: "pasteAbove", label: "Paste above", group: "Cells", needs: "edit" },
  { keys: ["Alt-ArrowUp", "Ctrl-Shift-ArrowUp"], mode: "command", action: "moveUp", label: "Move up", group: "Cells", needs: "edit", repeat: true },
  { keys: ["Alt-ArrowDown", "Ctrl-Shift-ArrowDown"], mode: "command", action: "moveDown", label: "Move down", group: "Cells", needs: "edit", repeat: true },
  { keys: ["Shift-m"], mode: "command", action: "merge", label: "Merge the selected cells, or with the cell below", group: "Cells", needs: "edit" },
  { keys: ["Shift-F10", "ContextMenu"], mode: "command", action: "menu", label: "Open the cell's menu", group: "Cells" },
  { keys: ["Ctrl-Shift--"], mode: "edit", action: "split", label: "Split at the caret", group: "Cells", needs: "edit" },

  { keys: ["y"], mode: "command", action: "toCode", label: "Change to code", group: "Change", needs: "edit" },
  { keys: ["m"], mode: "command", action: "toMarkdown", label: "Change to Markdown", group: "Change", needs: "edit" },
  { keys: ["r"], mode: "command", action: "toRaw", label: "Change to raw text", group: "Change", needs: "edit" },
  { keys: ["1"], mode: "command", action: "heading1", label: "Change to heading 1", group: "Change", needs: "edit" },
  { keys: ["2"], mode: "command", action: "heading2", label: "Change to heading 2", group: "Change", needs: "edit" },
  { keys: ["3"], mode: "command", action: "heading3", label: "Change to heading 3", group: "Change", needs: "edit" },
  { keys: ["4"], mode: "command", action: "heading4", label: "Change to heading 4", group: "Change", needs: "edit" },
  { keys: ["5"], mode: "command", action: "heading5", label: "Change to heading 5", group: "Change", needs: "edit" },
  { keys: ["6"], mode: "command", action: "heading6", label: "Change to heading 6", group: "Change", needs: "edit" },

  { keys: ["o"], mode: "command", action: "toggleOutputs", label: "Collapse or expand outputs", group: "Show" },
  { keys: ["Shift-o"], mode: "command", action: "scrollOutputs", label: "Scroll outputs in a box", group: "Show" },
  { keys: ["l"], mode: "command", action: "toggleNumbers", label: "Line numbers", group: "Show" },
  { keys: ["Shift-l"], mode: "command", action: "toggleAllNumbers", label: "Line numbers in all cells", group: "Show" },
  { keys: ["Shift-i"], mode: "command", action: "variables", label: "Variables", group: "Show" },
  { keys: ["s", "Mod-s"], mode: "command", action: "save", label: "Show save status", group: "Show" },
  { keys: ["Mod-s"], mode: "edit", action: "save", label: "Show save status", group: "Show" },
  { keys: ["h", "?"], mode: "command", action: "help", label: "Keyboard shortcuts", group: "Show" },
];

/** Press is the part of a keyboard event that identifies a key. */
export type Press = Pick<KeyboardEvent, "key" | "code" | "shiftKey" | "ctrlKey" | "altKey" | "metaKey">;

/**
 * Returns a press in the keymap's notation. Shift is left out where it makes the character, as in "?"; letters are those of the
 * key's position if the layout has no Latin ones.
 */
export function nameOf(press: Press): string {
  const key = characterOf(press);
  const shift = press.shiftKey && (key.length > 1 || /[a-z]/.test(key));
  return `${press.ctrlKey ? "Ctrl-" : ""}${press.altKey ? "Alt-" : ""}${press.metaKey ? "Meta-" : ""}${shift ? "Shift-" : ""}${key}`;
}

function characterOf({ key, code, altKey }: Press): string {
  if (key === " ") return "Space";
  if (key.length > 1) return key;
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  if (letter !== undefined && (altKey || !/^[!-~]$/.test(key))) return letter.toLowerCase();
  return key.toLowerCase();
}

/** Returns a key of the keymap in the notation of `nameOf`: on a Mac, Mod is the command key. */
export function normal(key: string, mac: boolean): string {
  const parts = key.split("-");
  const last = parts.pop() ?? "";
  const has = (name: string): boolean => parts.includes(name);
  const mod = has("Mod");
  const name = (yes: boolean, text: string): string => (yes ? text : "");
  return name(has("Ctrl") || (mod && !mac), "Ctrl-") + name(has("Alt"), "Alt-") + name(mod && mac, "Meta-") + name(has("Shift"), "Shift-") + last;
}

/** Whether a press inserts or deletes text. */
export function isText({ key, ctrlKey, metaKey }: Press): boolean {
  return !ctrlKey && !metaKey && (key.length === 1 || key === "Enter" || key === "Backspace" || key === "Delete");
}

/** The longest pause between the two presses of a pair such as d d, in milliseconds. */
const pause = 1000;

/** Presses finds the keymap rows of presses in command mode, including pairs. */
export class Presses {
  readonly #rows = new Map<string, Key>();
  #before: { readonly name: string; readonly time: number } | undefined;

  constructor(mac: boolean) {
    for (const row of keymap) {
      if (row.mode === "edit") continue;
      for (const keys of row.keys)
        this.#rows.set(
          keys
            .split(" ")
            .map((key) => normal(key, mac))
            .join(" "),
          row,
        );
    }
  }

  /** Returns the row completed by a press. A repeated press counts only for rows that allow it. */
  press(event: Press & Pick<KeyboardEvent, "repeat" | "timeStamp">): Key | undefined {
    const name = nameOf(event);
    const before = this.#before;
    this.#before = undefined;
    if (!event.repeat && before && event.timeStamp - before.time <= pause) {
      const pair = this.#rows.get(`${before.name} ${name}`);
      if (pair) return pair;
    }
    if (!event.repeat) this.#before = { name, time: event.timeStamp };
    const row = this.#rows.get(name);
    return event.repeat && !row?.repeat ? undefined : row;
  }

  /** Whether a press has an action by itself, or with the one before. */
  knows(press: Press): boolean {
    const name = nameOf(press);
    return this.#rows.has(name) || (this.#before !== undefined && this.#rows.has(`${this.#before.name} ${name}`));
  }

  /** Forgets the first press of a pair, as after the page was away. */
  forget(): void {
    this.#before = undefined;
  }
}

/** Returns the keymap of an editor, without Escape, which the editor handles itself. */
export function editorKeymap(act: (action: ActionName) => void): readonly KeyBinding[] {
  return keymap
    .filter((row) => row.mode !== "command")
    .flatMap((row) => row.keys.map((key) => ({ key, row })))
    .filter(({ key }) => key !== "Escape")
    .map(({ key, row }) => ({
      key,
      preventDefault: true,
      run: () => {
        act(row.action);
        return true;
      },
    }));
}

/** Formats a key for display: the symbols of a Mac, or words. */
export function shown(key: string, mac: boolean): string {
  return key
    .split(" ")
    .map((press) => shownPress(press, mac))
    .join(" ");
}

const arrows: Readonly<Record<string, string>> = { ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc", "": "−" };
const symbols: Readonly<Record<string, string>> = { Mod: "⌘", Ctrl: "⌃", Alt: "⌥", Shift: "⇧" };

function shownPress(press: string, mac: boolean): string {
  const parts = press.replace(/--$/, "-").split("-");
  const last = parts.pop() ?? "";
  const key = arrows[last] ?? (last.length === 1 ? last.toUpperCase() : last);
  if (mac) return [...parts.map((part) => symbols[part] ?? part), key].join("");
  return [...parts.map((part) => (part === "Mod" ? "Ctrl" : part)), key].join("+");
}

/** Returns the displayed shortcut of an action. */
export function shortcut(action: ActionName, mac: boolean): string | undefined {
  const key = keymap.find((row) => row.action === action)?.keys[0];
  return key === undefined ? undefined : shown(key, mac);
}

/** Whether the keyboard is a Mac's. */
export function onMac(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.platform);
}
