import { useEffect } from "react";
import { useSession } from "../session/session.js";

/** Tells the session about a sign-out that the core reports. A core that does not load reports nothing, so the session asks the server. */
export function useReportedSignOut(): void {
  const { ask, signOut } = useSession();
  useEffect(() => {
    const look = (): void => void ask();
    addEventListener("quire:signed-out", signOut);
    addEventListener("quire:loading", look);
    return () => {
      removeEventListener("quire:signed-out", signOut);
      removeEventListener("quire:loading", look);
    };
  }, [ask, signOut]);
}
