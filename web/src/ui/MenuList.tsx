import { Content, Portal, Root, Trigger } from "radix-ui/dropdown-menu";
import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { createPortal } from "react-dom";
import styles from "./Menu.module.css";
import type { MenuItem } from "./Menu.js";
import { MenuRow } from "./MenuRow.js";

interface Props {
  readonly label: string;
  /** The button that it belongs to. */
  readonly button: RefObject<HTMLButtonElement | null>;
  readonly items: readonly MenuItem[] | (() => readonly MenuItem[]);
  readonly open: boolean;
  onOpenChange(open: boolean): void;
}

/** The list of a menu, shown beside its button. */
export function MenuList({ label, button, items, open, onOpenChange }: Props) {
  const place = useRef<HTMLSpanElement>(null);
  const elsewhere = useRef(false);
  usePlace(place, button, open);
  // The chosen action, or a click elsewhere, may have moved the focus. Otherwise it returns to the button.
  const onCloseAutoFocus = (event: Event): void => {
    const nowhere = document.activeElement === null || document.activeElement === document.body;
    if (nowhere && !elsewhere.current) button.current?.focus();
    elsewhere.current = false;
    event.preventDefault();
  };
  return (
    <Root modal={false} open={open} onOpenChange={onOpenChange}>
      {createPortal(
        <Trigger asChild>
          <span ref={place} className={styles.place} aria-hidden tabIndex={-1} />
        </Trigger>,
        document.body,
      )}
      <Portal>
        <Content
          className={styles.menu}
          aria-label={label}
          aria-labelledby={undefined}
          align="end"
          sideOffset={4}
          collisionPadding={8}
          loop
          onInteractOutside={() => (elsewhere.current = true)}
          onCloseAutoFocus={onCloseAutoFocus}
        >
          {open && (typeof items === "function" ? items() : items).map((item, i) => <MenuRow key={i} item={item} />)}
        </Content>
      </Portal>
    </Root>
  );
}

/** Keeps an element at the place of the button while the menu is open. */
function usePlace(place: RefObject<HTMLElement | null>, button: RefObject<HTMLElement | null>, open: boolean): void {
  const follow = (): void => {
    const box = button.current?.getBoundingClientRect();
    if (!box || !place.current) return;
    Object.assign(place.current.style, { left: `${box.left}px`, top: `${box.top}px`, width: `${box.width}px`, height: `${box.height}px` });
  };
  useLayoutEffect(follow);
  useEffect(() => {
    if (!open) return undefined;
    window.addEventListener("scroll", follow, { capture: true, passive: true });
    return () => window.removeEventListener("scroll", follow, { capture: true });
  });
}
