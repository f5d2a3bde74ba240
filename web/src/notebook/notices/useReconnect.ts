import { useCallback, useEffect } from "react";
import type { Client } from "../../core/client.js";
import { useStatusOf } from "../../core/hooks.js";
import { useReturn, useSession } from "../../session/session.js";

/** Checks the session when the connection is lost, and reconnects when the session is valid again. */
export function useReconnect(client: Client): void {
  const session = useSession();
  const lost = useStatusOf((status) => status?.trouble !== undefined);
  useEffect(() => {
    if (lost) void session.ask();
  }, [lost, session]);
  useReturn(useCallback(() => client.reconnect(), [client]));
}
