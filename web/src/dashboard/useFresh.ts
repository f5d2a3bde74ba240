import { useEffect } from "react";
import { useReturn } from "../session/session.js";

const every = 30_000; // milliseconds

/** Calls refresh periodically while the page is visible, and whenever the user returns to it. */
export function useFresh(refresh: () => void): void {
  useReturn(refresh);
  useEffect(() => {
    const ifSeen = () => {
      if (document.visibilityState === "visible") refresh();
    };
    const timer = setInterval(ifSeen, every);
    window.addEventListener("focus", ifSeen);
    document.addEventListener("visibilitychange", ifSeen);
    return () => {
      clearInterval(timer);
      window.removeEventListener("focus", ifSeen);
      document.removeEventListener("visibilitychange", ifSeen);
    };
  }, [refresh]);
}
