import {
  cloneElement,
  type ComponentProps,
  type KeyboardEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from "react";
import { lazily, useLazily } from "../lib/lazily.js";

/** A row of a menu. */
export type MenuItem =
  | {
      readonly kind: "item";
      readonly label: string;
      readonly icon?: ReactNode;
      readonly shortcut?: string;
      readonly danger?: boolean;
      readonly disabled?: boolean;
      /** Makes it a checkbox. */
      readonly checked?: boolean;
      onSelect(): void;
    }
  | { readonly kind: "separator" }
  | { readonly kind: "link"; readonly label: string; readonly href: string; readonly icon?: ReactNode; readonly download?: boolean };

interface Props {
  readonly label: string;
  /** The button that opens it. It must take a ref and all properties of a button. */
  readonly trigger: ReactElement<ComponentProps<"button">>;
  /** A function is called when the menu is opened. */
  readonly items: readonly MenuItem[] | (() => readonly MenuItem[]);
  /** Counts requests to open the menu by other means than its button. */
  readonly asked?: number;
}

/** The parts of an open menu. The first paint does not need them, so they are loaded a little later. */
export const menuParts = lazily(() => import("./MenuList.js"));

/** A button with a menu. */
export function Menu({ label, trigger, items, asked = 0 }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const [near, setNear] = useState(false);
  const parts = useLazily(menuParts, near);
  useEffect(() => {
    if (asked === 0) return;
    setNear(true);
    setOpen(true);
  }, [asked]);
  const disabled = trigger.props.disabled ?? false;
  const onPointerDown = (event: PointerEvent): void => {
    if (disabled || event.button !== 0 || event.ctrlKey) return;
    setNear(true);
    setOpen(!open);
    if (!open) event.preventDefault(); // the focus goes to the menu
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (disabled || !opens(event.key)) return;
    setNear(true);
    setOpen(true);
    event.preventDefault();
  };
  const come = (): void => setNear(true);
  const toTrigger = {
    ref: button,
    "aria-haspopup": "menu",
    "aria-expanded": open,
    "data-state": open ? "open" : "closed",
    onPointerDown,
    onKeyDown,
    onFocus: come,
    onPointerEnter: come,
  } as const;
  return (
    <>
      {cloneElement<ComponentProps<"button">>(trigger, toTrigger)}
      {parts && near && <parts.MenuList label={label} button={button} items={items} open={open} onOpenChange={setOpen} />}
    </>
  );
}

function opens(key: string): boolean {
  return key === "Enter" || key === " " || key === "ArrowDown";
}
