import { useCallback, useEffect } from "react";
import type { Client } from "../../core/client.js";
import { useNotebook, useStatusOf } from "../../core/hooks.js";
import { useReturn, useSession } from "../../session/session.js";
import { Banner } from "../../ui/Banner.js";
import { Button } from "../../ui/Button.js";
import { usePage } from "../state/page.js";
import { useRestore } from "./Ended.js";
import { useNewer } from "./useNewer.js";

/** Tells the user that the server has ended the connection for good. */
export function Connection() {
  const page = usePage();
  const { client } = page;
  const code = useStatusOf((status) => status?.closed?.code);
  const message = useStatusOf((status) => status?.closed?.message) ?? "";
  const there = useNotebook() !== undefined; // else the list's place shows it all
  const session = useSession();
  const { restore } = useRestore();
  useReconnect(client);
  const { newer, reloads } = useNewer(page);
  if (newer) {
    return (
      <Banner kind="warn" action={<Button onClick={() => location.reload()}>Reload</Button>}>
        {reloads
          ? "The server is newer than this page, which reloads as soon as you pause. Nothing that you typed is lost."
          : "The server is newer than this page: reload it. What is not sent yet stays in this browser."}
      </Banner>
    );
  }
  if (code !== undefined && code !== "unavailable" && code !== "purged" && there) {
    const again = (): void => void (session.ask(), client.reconnect());
    return (
      <Banner kind="error" action={code === "not-found" ? <Button onClick={restore}>Restore</Button> : <Button onClick={again}>Try again</Button>}>
        {closedText(code, message)}
      </Banner>
    );
  }
  return null;
}

function closedText(code: string, message: string): string {
  if (code === "forbidden") return "You are not allowed in this notebook any more. What you see is how it was.";
  if (code === "not-found") return "This notebook was deleted. What you see is how it was.";
  return `The server ended the connection: ${message}`;
}

/** Checks the session when the connection is lost, and reconnects when the session is valid again. */
function useReconnect(client: Client): void {
  const session = useSession();
  const lost = useStatusOf((status) => status?.trouble !== undefined);
  useEffect(() => {
    if (lost) void session.ask();
  }, [lost, session]);
  useReturn(useCallback(() => client.reconnect(), [client]));
}
