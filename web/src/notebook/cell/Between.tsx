import { Plus } from "lucide-react";
import type { CellID, CellKind } from "../../core/event.js";
import { insert } from "../state/actions.js";
import { attempt } from "../state/attempt.js";
import { usePage } from "../state/page.js";
import { useMay } from "../state/role.js";
import styles from "./Between.module.css";

/** Adds a cell between two. It is visible while the pointer or the focus is near. */
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
