import { Plus } from "lucide-react";
import type { CellKind } from "../../core/event.js";
import { Button } from "../../ui/Button.js";
import { insert, order } from "../state/actions.js";
import { attempt } from "../state/attempt.js";
import { usePage } from "../state/page.js";
import styles from "./AddRow.module.css";

/** Adds a cell at the end. */
export function AddRow() {
  const page = usePage();
  const add = (kind: CellKind): void => void attempt(page, () => insert(page, "below", kind, order(page).at(-1), "edit"));
  return (
    <div className={styles.row}>
      <Button icon={<Plus aria-hidden />} onClick={() => add("code")}>
        Code
      </Button>
      <Button icon={<Plus aria-hidden />} onClick={() => add("markdown")}>
        Text
      </Button>
    </div>
  );
}
