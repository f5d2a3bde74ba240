import { useSession } from "../app/session.js";
import { useStatusOf } from "../core/hooks.js";
import { Banner } from "../ui/Banner.js";
import { Button } from "../ui/Button.js";
import { usePage } from "./page.js";
import { useStanding } from "./useStanding.js";

/** Says that the server has ended the connection, which no waiting changes. */
export function Connection() {
  const { client } = usePage();
  const code = useStatusOf((status) => status?.closed?.code);
  const message = useStatusOf((status) => status?.closed?.message) ?? "";
  const session = useSession();
  useStanding(client);
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
  if (code === "version") return "The server speaks a newer protocol than this page. Reload the page; what is not sent yet stays.";
  return `The server ended the connection: ${message}`;
}
