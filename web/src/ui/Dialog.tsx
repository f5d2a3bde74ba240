import { type ReactNode, useRef } from "react";
import { Content, Overlay, Portal, Root, Title } from "radix-ui/dialog";
import { X } from "lucide-react";
import styles from "./Dialog.module.css";
import { IconButton } from "./IconButton.js";

interface Props {
  readonly title: string;
  readonly open: boolean;
  onClose(): void;
  readonly children: ReactNode;
  /** The buttons below. */
  readonly actions?: ReactNode;
}

/** Something that has to be seen to before the page goes on. Escape closes it. */
export function Dialog({ title, open, onClose, children, actions }: Props) {
  const before = useRef<Element>(null);
  const giveBack = (event: Event) => {
    event.preventDefault(); // it would be given to a trigger, and there is none
    if (before.current instanceof HTMLElement) before.current.focus();
  };
  return (
    <Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Portal>
        <Overlay className={styles.overlay} />
        <Content
          className={styles.dialog}
          aria-describedby={undefined}
          onOpenAutoFocus={() => (before.current = document.activeElement)}
          onCloseAutoFocus={giveBack}
        >
          <header className={styles.header}>
            <Title className={styles.title}>{title}</Title>
            <IconButton label="Close" shortcut="Esc" icon={<X />} onClick={onClose} />
          </header>
          <div className={styles.body}>{children}</div>
          {actions !== undefined && <footer className={styles.actions}>{actions}</footer>}
        </Content>
      </Portal>
    </Root>
  );
}
