import type { KeyBinding } from "@codemirror/view";
import { createContext, useContext, useSyncExternalStore } from "react";
import type { Client } from "../../core/client.js";
import type { CellID } from "../../core/event.js";
import type { Clipboard } from "./clipboard.js";
import type { HeldKeys } from "./heldKeys.js";
import type { Hold } from "./hold.js";
import type { ActionName } from "./keys.js";
import type { LostFocus } from "./lostFocus.js";
import type { UIState, UISnapshot } from "./uiState.js";

/** Note is a line that a page shows for a while. */
export interface Note {
  readonly text: string;
  readonly kind?: "info" | "error";
  readonly action?: { readonly label: string; readonly onSelect: () => void };
  /** Notes of one topic take each other's place. */
  readonly topic?: string;
  /** Is called when it is not shown any more. */
  readonly onGone?: () => void;
}

/** List is the list of cells, as far as others move it. */
export interface List {
  /** Scrolls as little as it takes to see a cell, or its top if it is to be at the top. */
  reveal(cell: CellID, where?: "nearest" | "top"): void;
  /** Scrolls by most of a screen. */
  scroll(direction: -1 | 1): void;
}

/** Page is what the actions of a notebook's page work with. */
export interface Page {
  readonly id: string;
  readonly client: Client;
  readonly ui: UIState;
  readonly clipboard: Clipboard;
  readonly mac: boolean;
  readonly list: { current: List | undefined };
  /** What holds the line of the caret, while there is a list. */
  readonly hold: { current: Hold | undefined };
  readonly lostFocus: LostFocus;
  readonly heldKeys: HeldKeys;
  /** The same one for every editor, so that none is made anew. */
  readonly editorKeymap: readonly KeyBinding[];
  /** Shows a note, and returns what takes it away. One that offers something goes with the page. */
  readonly note: (note: Note) => () => void;
  readonly act: (action: ActionName) => void;
  readonly restartRuntime: () => Promise<void>;
  readonly stopRuntime: () => Promise<void>;
}

export const PageContext = createContext<Page | undefined>(undefined);

/** Returns the page of the notebook that is shown. */
export function usePage(): Page {
  const page = useContext(PageContext);
  if (!page) throw new Error("usePage is called outside a notebook");
  return page;
}

/** Returns a part of what is only this page's; the part must be the same as long as nothing of it changes. */
export function useUI<T>(part: (state: UISnapshot) => T): T {
  const { ui } = usePage();
  return useSyncExternalStore(ui.listen, () => part(ui.state));
}
