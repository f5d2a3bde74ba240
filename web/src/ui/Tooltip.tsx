import { useLayoutEffect, useRef } from "react";
import { createPortal } from "react-dom";
import { placeBeside } from "./place.js";
import styles from "./Tooltip.module.css";

interface Props {
  readonly anchor: HTMLElement;
  readonly label: string;
  readonly shortcut?: string | undefined;
  /** Shows it above, because the content below must stay visible. */
  readonly above?: boolean;
}

/** Shows the label of an element beside it. Screen readers get the label from the element itself. */
export function Tooltip({ anchor, label, shortcut, above = false }: Props) {
  const tip = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!tip.current) return;
    const room = { width: window.innerWidth, height: window.innerHeight };
    const { left, top } = placeBeside(anchor.getBoundingClientRect(), tip.current.getBoundingClientRect(), room, above);
    tip.current.style.translate = `${left}px ${top}px`;
  }, [anchor, label, shortcut, above]);
  return createPortal(
    <div ref={tip} className={styles.tip} aria-hidden="true">
      {label}
      {shortcut !== undefined && <kbd className={styles.shortcut}>{shortcut}</kbd>}
    </div>,
    document.body,
  );
}
