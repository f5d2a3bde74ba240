import { useEffect } from "react";

/** Leaves the page when one signs out in another tab: it would go on to keep what it has. */
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
