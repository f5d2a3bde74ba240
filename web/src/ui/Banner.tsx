import type { ReactNode } from "react";
import { createPortal } from "react-dom";
import { CircleAlert, Info, TriangleAlert } from "lucide-react";
import { classes } from "../lib/classes.js";
import styles from "./Banner.module.css";
import { bannerLayer } from "./bannerLayer.js";

interface Props {
  readonly kind: "info" | "warn" | "error";
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

const icons = { info: <Info />, warn: <TriangleAlert />, error: <CircleAlert /> } as const;

/** Something to know about the page as a whole, across its foot: it lies over the page and moves nothing. It is said as well as shown. */
export function Banner({ kind, children, action }: Props) {
  return createPortal(
    <div className={classes(styles.banner, styles[kind])} role={kind === "error" ? "alert" : "status"}>
      <span className={styles.icon} aria-hidden="true">
        {icons[kind]}
      </span>
      <div className={styles.text}>{children}</div>
      {action}
    </div>,
    bannerLayer(),
  );
}
