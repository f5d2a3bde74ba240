import { useEffect, useState } from "react";
import { useClient } from "../../core/hooks.js";
import { type Standing, standing } from "../state/status.js";

/** How long nothing new has to be unsaved before that is said, in milliseconds. */
const calm = 300;

/**
 * Returns how the page stands to the server. While somebody types, it says all the time that they are being
 * saved, and not after each key that they are: it is never ahead of the truth, and costs the keys nothing.
 */
export function useCalmStanding(): Standing {
  const { store } = useClient();
  const [shown, setShown] = useState(() => standing(store.status()));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last: Standing | undefined;
    const show = (): void => {
      timer = undefined;
      last = standing(store.status());
      setShown(last);
    };
    const look = (): void => {
      const now = standing(store.status());
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
