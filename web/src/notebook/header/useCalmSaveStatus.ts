import { useEffect, useState } from "react";
import { useClient } from "../../core/hooks.js";
import { type SaveStatus, saveStatus } from "../state/saveStatus.js";

/** How long nothing new has to be unsaved before that is said, in milliseconds. */
const calm = 300;

/**
 * Returns how the page stands to the server. While somebody types, it says all the time that they are being
 * saved, and not after each key that they are: it is never ahead of the truth, and costs the keys nothing.
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
