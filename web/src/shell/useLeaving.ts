import { useEffect } from "react";

/** Leaves the page after a sign-out in another tab: it would otherwise keep its data. */
export function useLeaving(): void {
  useEffect(() => {
    if (typeof BroadcastChannel === "undefined") return undefined;
    const channel = new BroadcastChannel("quire");
    channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (data === "signed-out") location.replace("/");
    };
    return () => channel.close();
  }, []);
}
