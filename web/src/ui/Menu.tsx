import type { ReactElement, ReactNode } from "react";
import { Content, Portal, Root, Trigger } from "radix-ui/dropdown-menu";
import { MenuRow } from "./MenuRow.js";
import styles from "./Menu.module.css";

/** One row of a menu. */
export type MenuItem =
  | {
      readonly kind: "item";
      readonly label: string;
      readonly icon?: ReactNode;
      readonly shortcut?: string;
      readonly danger?: boolean;
      readonly disabled?: boolean;
      /** Makes it a choice that is taken or not. */
      readonly checked?: boolean;
      onSelect(): void;
    }
  | { readonly kind: "separator" }
  | { readonly kind: "link"; readonly label: string; readonly href: string; readonly icon?: ReactNode; readonly download?: boolean };

interface Props {
  readonly label: string;
  /** The button that opens it. It must take a ref and all properties of a button. */
  readonly trigger: ReactElement;
  readonly items: readonly MenuItem[];
}

/** A button with a menu. */
export function Menu({ label, trigger, items }: Props) {
  return (
    <Root modal={false}>
      <Trigger asChild>{trigger}</Trigger>
      <Portal>
        <Content
          className={styles.menu}
          aria-label={label}
          aria-labelledby={undefined}
          align="end"
          sideOffset={4}
          collisionPadding={8}
          loop
          onCloseAutoFocus={keepFocus}
        >
          {items.map((item, i) => (
            <MenuRow key={i} item={item} />
          ))}
        </Content>
      </Portal>
    </Root>
  );
}

/** What was chosen may have put the focus somewhere. Only otherwise it goes back to the button. */
function keepFocus(event: Event) {
  if (document.activeElement && document.activeElement !== document.body) event.preventDefault();
}
