import { VisuallyHidden } from "../ui/VisuallyHidden.js";
import { useUI } from "./state/page.js";

/** Announces events to screen readers. The same text twice is announced twice. */
export function LiveRegion() {
  const { text, turn } = useUI((state) => state.said);
  return (
    <VisuallyHidden role="status" aria-live="polite">
      {text}
      {turn % 2 === 1 ? "\u00a0" : ""}
    </VisuallyHidden>
  );
}
