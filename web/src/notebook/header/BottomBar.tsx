import { Play } from "lucide-react";
import { useNotebook } from "../../core/hooks.js";
import { Button } from "../../ui/Button.js";
import { usePage } from "../state/page.js";
import { useMay } from "../state/role.js";
import { AddButton } from "./AddButton.js";
import styles from "./BottomBar.module.css";
import { RunButton } from "./RunButton.js";

/** The buttons in reach of a thumb on a phone. */
export function BottomBar() {
  const page = usePage();
  const mayRun = useMay("run");
  const mayEdit = useMay("edit");
  const empty = (useNotebook()?.cells.length ?? 0) === 0;
  if (empty || (!mayRun && !mayEdit)) return null;
  return (
    <div className={styles.bar} role="toolbar" aria-label="Cells">
      {mayEdit && <AddButton />}
      {mayRun && (
        <Button icon={<Play aria-hidden />} onClick={() => page.act("runHere")}>
          Run cell
        </Button>
      )}
      {mayRun && <RunButton />}
    </div>
  );
}
