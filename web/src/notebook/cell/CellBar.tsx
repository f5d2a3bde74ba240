import { ChevronDown, ChevronUp, Ellipsis, Trash2 } from "lucide-react";
import type { KeyboardEvent } from "react";
import type { CellRow } from "../../core/store.js";
import { IconButton } from "../../ui/IconButton.js";
import { Menu } from "../../ui/Menu.js";
import { actions, remove } from "../state/actions.js";
import { attempt } from "../state/attempt.js";
import { shortcut } from "../state/keymap.js";
import { type Page, useUI, usePage } from "../state/page.js";
import { useMay } from "../state/role.js";
import styles from "./CellBar.module.css";
import { moreItems } from "./cellItems.js";
import { KindMenu } from "./KindMenu.js";

interface Props {
  readonly cell: CellRow;
  readonly first: boolean;
  readonly last: boolean;
}

/** The tools of a cell, while the pointer or the focus is there. */
export function CellBar({ cell, first, last }: Props) {
  const page = usePage();
  const mayEdit = useMay("edit");
  const mayRun = useMay("run");
  const fold = useUI((state) => state.folds.get(cell.id));
  const asked = useUI((state) => (state.menu?.cell === cell.id ? state.menu.turn : 0));
  const key = (action: Parameters<typeof shortcut>[0]): string | undefined => shortcut(action, page.mac);
  return (
    <div className={styles.bar} role="toolbar" aria-label="Cell" onKeyDown={step}>
      {mayEdit && (
        <>
          <KindMenu cell={cell} />
          <IconButton label="Move up" icon={<ChevronUp />} shortcut={key("moveUp")} disabled={first} onClick={() => moveOne(page, cell.id, "moveUp")} />
          <IconButton label="Move down" icon={<ChevronDown />} shortcut={key("moveDown")} disabled={last} onClick={() => moveOne(page, cell.id, "moveDown")} />
          <IconButton
            label="Delete cell"
            icon={<Trash2 />}
            shortcut={key("delete")}
            onClick={() => void attempt(page, () => remove(page, chosen(page, cell.id)))}
          />
        </>
      )}
      <Menu
        label="Cell"
        asked={asked}
        items={moreItems({ page, cell, fold, mayEdit, mayRun })}
        trigger={<IconButton label="More for this cell" icon={<Ellipsis />} shortcut={key("menu")} />}
      />
    </div>
  );
}

/** Moves along the buttons with the arrow keys, as in any toolbar. */
function step(event: KeyboardEvent<HTMLElement>): void {
  const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (by === 0 || !(event.target instanceof HTMLButtonElement)) return;
  const buttons = [...event.currentTarget.querySelectorAll<HTMLButtonElement>("button:not(:disabled)")];
  event.preventDefault();
  event.stopPropagation();
  buttons[(buttons.indexOf(event.target) + by + buttons.length) % buttons.length]?.focus();
}

/** Returns the selected cells if this is one of them, else this one alone. */
function chosen({ ui }: Page, cell: string): readonly string[] {
  const selection = ui.selection();
  return selection.includes(cell) ? selection : [cell];
}

function moveOne(page: Page, cell: string, action: "moveUp" | "moveDown"): void {
  if (!page.ui.state.selected.has(cell)) page.ui.place(cell);
  void attempt(page, () => actions[action](page));
}
