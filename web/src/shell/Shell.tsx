import { Suspense, useEffect } from "react";
import { placeOf, useRoute, useRouter } from "../routing/router.js";
import { useSession } from "../session/session.js";
import { useThemeOfOtherTabs } from "../ui/theme.js";
import { ErrorBoundary } from "./ErrorBoundary.js";
import { focusMain } from "./focusMain.js";
import { useKeyedLinks } from "./keyedLinks.js";
import { Loading } from "./Loading.js";
import { Page } from "./Page.js";
import { SignedOutNotice } from "./SignedOutNotice.js";
import { SkipLink } from "./SkipLink.js";
import { UnreachableBanner } from "./UnreachableBanner.js";

/** The frame around every page. */
export function Shell() {
  const router = useRouter();
  const session = useSession();
  const route = useRoute();
  const place = placeOf(route);
  useEffect(() => router.start(), [router]);
  useEffect(() => session.start(), [session]);
  useThemeOfOtherTabs();
  useKeyedLinks();
  useLeaving();
  return (
    <>
      <SkipLink />
      <UnreachableBanner />
      <ErrorBoundary key={place}>
        <Suspense fallback={<Loading />}>
          <Page route={route} />
          <Arrival />
        </Suspense>
      </ErrorBoundary>
      <SignedOutNotice />
    </>
  );
}

/** Focuses a page that the user has navigated to, once it is mounted, unless it has moved the focus itself. */
function Arrival() {
  const router = useRouter();
  useEffect(() => {
    if (router.moved() && document.activeElement === document.body) focusMain();
  }, [router]);
  return null;
}

/** Leaves the page after a sign-out in another tab: it would otherwise keep its data. */
function useLeaving(): void {
  useEffect(() => {
    if (typeof BroadcastChannel === "undefined") return undefined;
    const channel = new BroadcastChannel("quire");
    channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (data === "signed-out") location.replace("/");
    };
    return () => channel.close();
  }, []);
}
