import { type ComponentProps, type ReactNode, useId } from "react";
import { classes } from "../lib/classes.js";
import styles from "./TextField.module.css";
import { VisuallyHidden } from "./VisuallyHidden.js";

interface Props extends Omit<ComponentProps<"input">, "id"> {
  readonly label: string;
  /** Shows the label to screen readers only, where the context shows it to others. */
  readonly labelHidden?: boolean;
  readonly icon?: ReactNode;
  /** The error in its value. */
  readonly error?: string | undefined;
}

/** A text field of one line. */
export function TextField({ label, labelHidden = false, icon, error, className, ...props }: Props) {
  const id = useId();
  const wrong = error !== undefined;
  return (
    <div className={classes(styles.field, className)}>
      <label htmlFor={id} className={labelHidden ? undefined : styles.label}>
        {labelHidden ? <VisuallyHidden>{label}</VisuallyHidden> : label}
      </label>
      <div className={styles.box}>
        {icon}
        <input
          type="text"
          autoComplete="off"
          spellCheck={false}
          {...props}
          id={id}
          className={styles.input}
          aria-invalid={wrong || undefined}
          aria-describedby={wrong ? `${id}-error` : undefined}
        />
      </div>
      {wrong && (
        <p id={`${id}-error`} className={styles.error} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
