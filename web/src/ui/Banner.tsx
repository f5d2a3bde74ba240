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

/** A message about the whole page, at its foot: it overlays the page and moves nothing. It is announced too. */
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
