import { createContext, type ReactNode, useCallback, useContext, useState } from "react";
import { VisuallyHidden } from "./VisuallyHidden.js";

const Announce = createContext<(text: string) => void>(() => undefined);

/** Returns the function that says something to those who listen to the page. It is always the same. */
export function useAnnounce(): (text: string) => void {
  return useContext(Announce);
}

/** Says what everything in it announces, when the listener has a moment. */
export function AnnounceProvider({ children }: { readonly children: ReactNode }) {
  const [said, setSaid] = useState({ text: "", count: 0 });
  const announce = useCallback((text: string) => setSaid(({ count }) => ({ text, count: count + 1 })), []);
  return (
    <Announce value={announce}>
      {children}
      <VisuallyHidden role="status" aria-live="polite">
        {/* Another element, so that the same words are said again. */}
        <span key={said.count}>{said.text}</span>
      </VisuallyHidden>
    </Announce>
  );
}
