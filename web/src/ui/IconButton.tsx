import type { ComponentProps, ReactNode } from "react";
import { classes } from "../lib/classes.js";
import styles from "./IconButton.module.css";
import { Tooltip } from "./Tooltip.js";
import { useTooltip } from "./useTooltip.js";

interface Props extends Omit<ComponentProps<"button">, "children" | "aria-label"> {
  readonly label: string;
  readonly icon: ReactNode;
  readonly shortcut?: string | undefined;
  /** Makes it a toggle button. */
  readonly pressed?: boolean | undefined;
  /** Shows the tooltip above, because the content below must stay visible. */
  readonly tipAbove?: boolean;
}

/** A button with an icon. Its tooltip shows its label and its shortcut. */
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
