import { useSession } from "../app/session.js";
import { useStatusOf } from "../core/hooks.js";
import { Banner } from "../ui/Banner.js";
import { Button } from "../ui/Button.js";
import { usePage } from "./page.js";
import { useNewer } from "./useNewer.js";
import { useStanding } from "./useStanding.js";

/** Says that the server has ended the connection, which no waiting changes. */
export function Connection() {
  const page = usePage();
  const { client } = page;
  const code = useStatusOf((status) => status?.closed?.code);
  const message = useStatusOf((status) => status?.closed?.message) ?? "";
  const session = useSession();
  useStanding(client);
  const reloads = useNewer(page);
  if (code === "version") {
    return (
      <Banner kind="warn" action={<Button onClick={() => location.reload()}>Reload</Button>}>
        {reloads ? "The server is newer than this page, which reloads as soon as you pause. Nothing that you typed is lost." : "The server is newer than this page: reload it. What is not sent yet stays in this browser."}
      </Banner>
    );
  }
  if (code !== undefined && code !== "unavailable") {
    return (
      <Banner kind="error" action={<Button onClick={() => (void session.ask(), client.reconnect())}>Try again</Button>}>
        {closedText(code, message)}
      </Banner>
    );
  }
  return null;
}

function closedText(code: string, message: string): string {
  if (code === "forbidden") return "You are not allowed in this notebook any more. What you see is how it was.";
  if (code === "not-found") return "This notebook was deleted. What you see is how it was; it may be among the deleted ones.";
  return `The server ended the connection: ${message}`;
}
