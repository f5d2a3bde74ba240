import { useEffect, useState } from "react";
import { useClient } from "../../core/hooks.js";
import { type SaveStatus, saveStatus } from "../state/saveStatus.js";

/** The time without unsaved changes before "Saved" is shown, in milliseconds. */
const calm = 300;

/**
 * Returns the save status. While the user types it stays "Saving…", instead of changing with each key: it is never ahead of the
 * truth, and costs the keys nothing.
 */
export function useCalmSaveStatus(): SaveStatus {
  const { store } = useClient();
  const [shown, setShown] = useState(() => saveStatus(store.status()));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last: SaveStatus | undefined;
    const show = (): void => {
      timer = undefined;
      last = saveStatus(store.status());
      setShown(last);
    };
    const look = (): void => {
      const now = saveStatus(store.status());
      const wasFine = last?.kind === "saved" || last?.kind === "saving";
      if (now.kind === "saved" && wasFine) return void (timer ??= setTimeout(show, calm));
      clearTimeout(timer);
      if (now.kind === "saving" && last?.kind === "saving") timer = undefined;
      else show();
    };
    show();
    const stop = store.listen("status", look);
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [store]);
  return shown;
}
