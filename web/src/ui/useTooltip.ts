import { type FocusEvent, type PointerEvent, useEffect, useState } from "react";

const delay = 400; // milliseconds that the pointer rests before the tooltip is shown

interface Handlers {
  onPointerEnter(event: PointerEvent<HTMLElement>): void;
  onPointerLeave(): void;
  onPointerDown(): void;
  onFocus(event: FocusEvent<HTMLElement>): void;
  onBlur(): void;
}

/** Returns the element whose tooltip is shown: the one under the pointer, or with the keyboard's focus. */
export function useTooltip(): { readonly anchor: HTMLElement | undefined; readonly handlers: Handlers } {
  const [asked, setAsked] = useState<{ readonly anchor: HTMLElement; readonly wait: number }>();
  const [anchor, setAnchor] = useState<HTMLElement>();

  useEffect(() => {
    if (!asked) return undefined;
    const timer = setTimeout(() => setAnchor(asked.anchor), asked.wait);
    const hide = (event: KeyboardEvent) => {
      if (event.key === "Escape") setAsked(undefined);
    };
    document.addEventListener("keydown", hide, true);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("keydown", hide, true);
      setAnchor(undefined);
    };
  }, [asked]);

  const hide = () => setAsked(undefined);
  const handlers: Handlers = {
    onPointerEnter: (event) => {
      if (event.pointerType === "mouse") setAsked({ anchor: event.currentTarget, wait: delay });
    },
    onPointerLeave: hide,
    onPointerDown: hide,
    onFocus: (event) => {
      if (event.currentTarget.matches(":focus-visible")) setAsked({ anchor: event.currentTarget, wait: 0 });
    },
    onBlur: hide,
  };
  return { anchor, handlers };
}
