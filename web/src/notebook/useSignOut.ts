import { useEffect } from "react";
import { useSession } from "../session/session.js";

/** Passes on to the session that the core hears of a sign-out. A core that does not load hears nothing, so that the session asks. */
export function useSignOut(): void {
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
