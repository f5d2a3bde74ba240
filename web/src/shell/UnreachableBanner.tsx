import { useSession, useStanding } from "../session/session.js";
import { Banner } from "../ui/Banner.js";
import { Button } from "../ui/Button.js";

/** Tells the user that the server does not answer. */
export function UnreachableBanner() {
  const { ask } = useSession();
  if (useStanding() !== "unreachable") return null;
  return (
    <Banner kind="warn" action={<Button onClick={() => void ask()}>Try now</Button>}>
      The server does not answer. This page keeps trying, and goes on when it does.
    </Banner>
  );
}
