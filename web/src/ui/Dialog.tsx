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

/** A modal dialog. Escape closes it. */
export function Dialog({ title, open, onClose, children, actions }: Props) {
  const before = useRef<Element>(null);
  const body = useRef<HTMLDivElement>(null);
  const take = (event: Event) => {
    before.current = document.activeElement;
    event.preventDefault(); // the first button closes it, and its tooltip would cover the content
    body.current?.focus();
  };
  const giveBack = (event: Event) => {
    event.preventDefault(); // Radix would focus a trigger, and there is none
    if (before.current instanceof HTMLElement) before.current.focus();
  };
  return (
    <Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Portal>
        <Overlay className={styles.overlay} />
        <Content className={styles.dialog} aria-describedby={undefined} onOpenAutoFocus={take} onCloseAutoFocus={giveBack}>
          <header className={styles.header}>
            <Title className={styles.title}>{title}</Title>
            <IconButton label="Close" shortcut="Esc" icon={<X />} onClick={onClose} />
          </header>
          {/* Focusable, so keys scroll it. */}
          <div ref={body} className={styles.body} tabIndex={0}>
            {children}
          </div>
          {actions !== undefined && <footer className={styles.actions}>{actions}</footer>}
        </Content>
      </Portal>
    </Root>
  );
}
