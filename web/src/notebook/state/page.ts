import type { KeyBinding } from "@codemirror/view";
import { createContext, useContext, useSyncExternalStore } from "react";
import type { Client } from "../../core/client.js";
import type { CellID } from "../../core/event.js";
import type { Clipboard } from "./clipboard.js";
import type { HeldKeys } from "./heldKeys.js";
import type { Hold } from "./hold.js";
import type { ActionName } from "./keymap.js";
import type { LostFocus } from "./lostFocus.js";
import type { UIState, UISnapshot } from "./uiState.js";

/** Note is a message that the page shows for a while. */
export interface Note {
  readonly text: string;
  readonly kind?: "info" | "error";
  readonly action?: { readonly label: string; readonly onSelect: () => void };
  /** A note replaces an earlier one of its topic. */
  readonly topic?: string;
  /** Called when the note disappears. */
  readonly onGone?: () => void;
}

/** List is the scrolling interface of the list of cells. */
export interface List {
  /** Scrolls the least distance that makes a cell visible, or its top to the top of the view. */
  reveal(cell: CellID, where?: "nearest" | "top"): void;
  /** Scrolls by most of a screen. */
  scroll(direction: -1 | 1): void;
}

/** Page is the context of the actions on a notebook's page. */
export interface Page {
  readonly id: string;
  readonly client: Client;
  readonly ui: UIState;
  readonly clipboard: Clipboard;
  readonly mac: boolean;
  readonly list: { current: List | undefined };
  /** Keeps the caret's line in place while there is a list. */
  readonly hold: { current: Hold | undefined };
  readonly lostFocus: LostFocus;
  readonly heldKeys: HeldKeys;
  /** A stable reference, so no editor is reconfigured. */
  readonly editorKeymap: readonly KeyBinding[];
  /** Shows a note, and returns the function that withdraws it. A note with an action disappears with the page. */
  readonly note: (note: Note) => () => void;
  readonly act: (action: ActionName) => void;
  readonly restartRuntime: () => Promise<void>;
  readonly stopRuntime: () => Promise<void>;
}

export const PageContext = createContext<Page | undefined>(undefined);

/** Returns the page of the open notebook. */
export function usePage(): Page {
  const page = useContext(PageContext);
  if (!page) throw new Error("usePage is called outside a notebook");
  return page;
}

/** Selects a value from the UI state; it must be a stable reference while nothing in it changes. */
export function useUI<T>(part: (state: UISnapshot) => T): T {
  const { ui } = usePage();
  return useSyncExternalStore(ui.listen, () => part(ui.state));
}
