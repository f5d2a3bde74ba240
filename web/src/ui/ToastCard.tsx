import { Action, Close, Description, Root } from "radix-ui/toast";
import { X } from "lucide-react";
import { useEffect } from "react";
import { classes } from "../lib/classes.js";
import { Button } from "./Button.js";
import { IconButton } from "./IconButton.js";
import type { ShownToast } from "./toast.js";
import styles from "./toast.module.css";

interface Props {
  readonly toast: ShownToast;
  onClose(id: number): void;
}

// Milliseconds. They do not pass while a toast is hovered or focused.
const time = { info: 5_000, action: 10_000, error: Infinity } as const;

/** A toast. */
export function ToastCard({ toast, onClose }: Props) {
  const { id, text, action, kind = "info" } = toast;
  useEffect(() => () => toast.onGone?.(), [toast]);
  const duration = kind === "error" ? time.error : action ? time.action : time.info;
  return (
    <Root
      className={classes(styles.toast, styles[kind])}
      type={kind === "error" ? "foreground" : "background"}
      duration={duration}
      onOpenChange={(open) => !open && onClose(id)}
    >
      <Description className={styles.text}>{text}</Description>
      {action && (
        <Action asChild altText={action.label} onClick={action.onSelect}>
          <Button>{action.label}</Button>
        </Action>
      )}
      <Close asChild>
        <IconButton label="Dismiss" icon={<X />} />
      </Close>
    </Root>
  );
}
