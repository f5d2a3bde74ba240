import { createContext, type ReactNode, useCallback, useContext, useState } from "react";
import { VisuallyHidden } from "./VisuallyHidden.js";

const Announce = createContext<(text: string) => void>(() => undefined);

/** Returns the function that announces a text to screen readers: a stable reference. */
export function useAnnounce(): (text: string) => void {
  return useContext(Announce);
}

/** Provides the live region for announcements. */
export function AnnounceProvider({ children }: { readonly children: ReactNode }) {
  const [said, setSaid] = useState({ text: "", count: 0 });
  const announce = useCallback((text: string) => setSaid(({ count }) => ({ text, count: count + 1 })), []);
  return (
    <Announce value={announce}>
      {children}
      <VisuallyHidden role="status" aria-live="polite">
        {/* A new element, so the same text is announced again. */}
        <span key={said.count}>{said.text}</span>
      </VisuallyHidden>
    </Announce>
  );
}
