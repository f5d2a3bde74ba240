import { Plus } from "lucide-react";
import type { CellID, CellKind } from "../core/event.js";
import { insert } from "./actions.js";
import { attempt } from "./attempt.js";
import styles from "./Between.module.css";
import { usePage } from "./page.js";
import { useMay } from "./role.js";

/** Adds a cell between two. It is seen while the pointer or the focus is near. */
export function Between({ after }: { readonly after: CellID }) {
  const page = usePage();
  const mayEdit = useMay("edit");
  if (!mayEdit) return null;
  const add = (kind: CellKind): void => void attempt(page, () => insert(page, "below", kind, after, "edit"));
  return (
    <div className={styles.between}>
      <button type="button" aria-label="Add code below" onClick={() => add("code")}>
        <Plus aria-hidden />
        Code
      </button>
      <button type="button" aria-label="Add text below" onClick={() => add("markdown")}>
        <Plus aria-hidden />
        Text
      </button>
    </div>
  );
}
