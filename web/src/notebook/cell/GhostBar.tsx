import { useEffect } from "react";
import type { CellID } from "../../core/event.js";
import { Button } from "../../ui/Button.js";
import { attempt } from "../state/attempt.js";
import { deletionOf, leaveGhost } from "../state/ghost.js";
import { type Page, usePage } from "../state/page.js";
import { useMay } from "../state/role.js";
import styles from "./GhostBar.module.css";

/**
 * Tells the user that the cell under their caret was deleted by another person, a program or another window, and offers to
 * restore it. It disappears when the focus leaves the cell.
 */
export function GhostBar({ id, shown }: { readonly id: CellID; readonly shown: boolean }) {
  return shown ? <Bar id={id} /> : null;
}

function Bar({ id }: { readonly id: CellID }) {
  const page = usePage();
  const mayEdit = useMay("edit");
  useEffect(() => {
    const came = ({ target }: FocusEvent): void => {
      if (target instanceof Element && target.closest("[data-cell]")?.getAttribute("data-cell") !== id) leaveGhost(page);
    };
    document.addEventListener("focusin", came);
    return () => document.removeEventListener("focusin", came);
  }, [page, id]);
  return (
    <p className={styles.bar}>
      <span>{deletionOf(page, id, "this cell")} What you type is kept with it.</span>
      {mayEdit && <Button onClick={() => void attempt(page, () => restore(page, id))}>Restore</Button>}
    </p>
  );
}

async function restore({ client, ui }: Page, id: CellID): Promise<void> {
  await ui.flush([id]);
  await client.command({ kind: "restoreCells", cells: [id] });
  ui.go(id, "edit");
}
