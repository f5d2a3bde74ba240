import { classes } from "../lib/classes.js";
import { printable } from "../lib/printable.js";
import styles from "./Name.module.css";

interface Props {
  readonly text: string;
  /** The replacement of a text without visible characters. */
  readonly instead?: string;
  readonly className?: string | undefined;
}

/** A user-chosen name, on one line. Its characters cannot affect the text around it. */
export function Name({ text, instead, className }: Props) {
  const shown = printable(text, instead);
  return (
    <bdi className={classes(styles.name, className)} title={shown}>
      {shown}
    </bdi>
  );
}
