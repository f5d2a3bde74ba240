import { GripVertical } from "lucide-react";
import type { KeyboardEvent } from "react";
import type { CellID } from "../../core/event.js";
import { usePage } from "../state/page.js";
import styles from "./Gutter.module.css";
import { useDrag } from "./useDrag.js";

/** The handle that drags a cell. With the focus on it the arrow keys move the cell. */
export function Handle({ id, place }: { readonly id: CellID; readonly place: number }) {
  const page = usePage();
  const drag = useDrag(id);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    event.stopPropagation();
    if (!page.ui.state.selected.has(id)) page.ui.place(id);
    page.act(event.key === "ArrowUp" ? "moveUp" : "moveDown");
  };
  return (
    <button
      type="button"
      className={styles.handle}
      aria-label={`Move cell ${place}`}
      title="Drag to move, or press the arrow keys"
      data-handle
      onPointerDown={drag}
      onKeyDown={onKeyDown}
    >
      <GripVertical aria-hidden />
    </button>
  );
}
