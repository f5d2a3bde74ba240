import { type ReactNode, useRef } from "react";
import { classes } from "../lib/classes.js";
import styles from "./TallBox.module.css";
import { useOverflow } from "./useOverflow.js";

interface Props {
  readonly label: string;
  readonly size: "capped" | "all" | "full";
  onTall?: ((tall: boolean) => void) | undefined;
  readonly children: ReactNode;
}

/** Scrolls content that is taller than most of a screen. */
export function TallBox({ label, size, onTall, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const tall = useOverflow(box, children, onTall);
  return (
    <div
      ref={box}
      className={classes(styles.box, styles[size])}
      role={tall ? "group" : undefined}
      aria-label={tall ? label : undefined}
      tabIndex={tall ? 0 : undefined}
    >
      <div>{children}</div>
    </div>
  );
}
