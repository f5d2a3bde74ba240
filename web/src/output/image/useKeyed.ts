import { useEffect, useState } from "react";
import { keyedFetch } from "../../core/key.js";

/** Keyed is a picture that is loaded with the key: loading, loaded, or failed. */
export interface Keyed {
  readonly url: string | undefined;
  readonly failed: boolean;
}

/**
 * Returns an address that the browser can show for an address of the server: an element that loads it would not send the key.
 * Other addresses are returned unchanged. Another number of tries loads it again.
 */
export function useKeyed(address: string, tries: number): Keyed {
  const here = !address.startsWith("/api/");
  const [got, setGot] = useState<Keyed>({ url: undefined, failed: false });
  useEffect(() => {
    if (here) return undefined;
    const asked = new AbortController();
    let url: string | undefined;
    setGot({ url, failed: false });
    const fetched = async (): Promise<void> => {
      const answer = await keyedFetch(address, { signal: asked.signal });
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      const blob = await answer.blob();
      if (asked.signal.aborted) return;
      url = URL.createObjectURL(blob);
      setGot({ url, failed: false });
    };
    fetched().catch(() => asked.signal.aborted || setGot({ url: undefined, failed: true }));
    return () => {
      asked.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [address, here, tries]);
  return here ? { url: address, failed: false } : got;
}
