import type { ComponentProps, ReactNode } from "react";
import { classes } from "../lib/classes.js";
import styles from "./Button.module.css";

export type ButtonKind = "plain" | "primary" | "danger";

interface Props extends ComponentProps<"button"> {
  readonly kind?: ButtonKind;
  readonly icon?: ReactNode;
}

/** A button with a text. */
export function Button({ kind = "plain", icon, className, children, ...props }: Props) {
  return (
    <button type="button" {...props} className={classes(styles.button, styles[kind], className)}>
      {icon}
      {children}
    </button>
  );
}
