import { classes } from "../lib/classes.js";
import { printable } from "../lib/printable.js";
import styles from "./Name.module.css";

interface Props {
  readonly text: string;
  /** What stands there if nothing of the text is to be seen. */
  readonly instead?: string;
  readonly className?: string | undefined;
}

/** A name that somebody chose, on one line. Whatever is in it stays within its place. */
export function Name({ text, instead, className }: Props) {
  const shown = printable(text, instead);
  return (
    <bdi className={classes(styles.name, className)} title={shown}>
      {shown}
    </bdi>
  );
}
