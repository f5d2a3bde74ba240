import type { ComponentProps, ReactNode } from "react";
import { classes } from "../lib/classes.js";
import styles from "./IconButton.module.css";
import { Tooltip } from "./Tooltip.js";
import { useTooltip } from "./useTooltip.js";

interface Props extends Omit<ComponentProps<"button">, "children" | "aria-label"> {
  readonly label: string;
  readonly icon: ReactNode;
  readonly shortcut?: string | undefined;
  /** Makes it a switch, which is on or off. */
  readonly pressed?: boolean | undefined;
  /** Its tooltip goes above, since something is to be read below. */
  readonly tipAbove?: boolean;
}

/** A button with a picture. Its tooltip says what it does, and how the keyboard does it. */
export function IconButton({ label, icon, shortcut, pressed, tipAbove = false, className, ...props }: Props) {
  const { anchor, handlers } = useTooltip();
  return (
    <>
      <button
        type="button"
        aria-description={shortcut}
        {...props}
        aria-label={label}
        aria-pressed={pressed}
        className={classes(styles.button, className)}
        onPointerEnter={(e) => (handlers.onPointerEnter(e), props.onPointerEnter?.(e))}
        onPointerLeave={(e) => (handlers.onPointerLeave(), props.onPointerLeave?.(e))}
        onPointerDown={(e) => (handlers.onPointerDown(), props.onPointerDown?.(e))}
        onFocus={(e) => (handlers.onFocus(e), props.onFocus?.(e))}
        onBlur={(e) => (handlers.onBlur(), props.onBlur?.(e))}
      >
        {icon}
      </button>
      {anchor && <Tooltip anchor={anchor} label={label} shortcut={shortcut} above={tipAbove} />}
    </>
  );
}
