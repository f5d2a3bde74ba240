import { useCallback, useEffect, useMemo, useRef } from "react";
import { useApi } from "../core/api.js";
import type { Client } from "../core/client.js";
import { useToast } from "../ui/toast.js";
import { actions } from "./state/actions.js";
import { attempt } from "./state/attempt.js";
import { Clipboard } from "./state/clipboard.js";
import { keptFolds } from "./state/folds.js";
import { ofGhost } from "./state/ghost.js";
import { chooses, HeldKeys } from "./state/heldKeys.js";
import { editorKeymap, onMac } from "./state/keymap.js";
import { LostFocus } from "./state/lostFocus.js";
import type { Note, Page } from "./state/page.js";
import { UIState } from "./state/uiState.js";

/** Creates the page, the context of its actions. */
export function useNewPage(id: string, client: Client): Page {
  const api = useApi();
  const note = useNotes();
  return useMemo(() => {
    const act: Page["act"] = (action) => {
      if (ofGhost(page, action)) return void note({ text: "This cell is deleted. Restore it first." });
      const done = attempt(page, () => actions[action](page));
      if (chooses(action)) void page.heldKeys.during(action, done);
    };
    const page: Page = {
      id,
      client,
      note,
      act,
      ui: new UIState(() => client.store.notebook()?.cells ?? [], keptFolds(id)),
      clipboard: new Clipboard(),
      mac: onMac(),
      list: { current: undefined },
      hold: { current: undefined },
      lostFocus: new LostFocus(),
      heldKeys: new HeldKeys(),
      editorKeymap: editorKeymap(act),
      restartRuntime: () => api.restartRuntime(id),
      stopRuntime: () => api.stopRuntime(id),
    };
    return page;
  }, [id, client, api, note]);
}

/** Returns the function that shows a note. A note with an action disappears with the page. */
function useNotes(): Page["note"] {
  const toast = useToast();
  const offers = useRef(new Set<() => void>());
  useEffect(() => {
    const { current } = offers;
    return () => current.forEach((withdraw) => withdraw());
  }, []);
  return useCallback(
    (note: Note) => {
      if (!note.action) return toast(note);
      const withdraw = toast({ ...note, onGone: () => (offers.current.delete(withdraw), note.onGone?.()) });
      offers.current.add(withdraw);
      return withdraw;
    },
    [toast],
  );
}
