import { CircleX } from "lucide-react";
import { useCallback, useSyncExternalStore } from "react";
import type { CellID } from "../../core/event.js";
import { useClient } from "../../core/hooks.js";
import type { Store } from "../../core/store.js";
import { counted } from "../../lib/counted.js";
import { usePage } from "../state/page.js";
import styles from "./Failures.module.css";

/** Counts the cells whose latest run failed, and leads from one to the next. It stays until they run well. */
export function Failures() {
  const { ui, list } = usePage();
  const { store } = useClient();
  const listen = useCallback(
    (f: () => void) => {
      const stops = [store.listen("runs", f), store.listen("notebook", f)];
      return () => stops.forEach((stop) => stop());
    },
    [store],
  );
  const count = useSyncExternalStore(listen, () => failed(store).length);
  if (count === 0) return null;
  const go = (): void => {
    const cells = failed(store);
    const order = store.notebook()?.cells ?? [];
    const here = order.indexOf(ui.state.active ?? "");
    const next = cells.find((cell) => order.indexOf(cell) > here) ?? cells[0];
    if (next === undefined) return;
    ui.go(next);
    list.current?.reveal(next, "top");
    ui.flash(next);
  };
  return (
    <button type="button" className={styles.failures} onClick={go} title={`${counted(count, "cell")} failed: go to the next`}>
      <CircleX aria-hidden />
      {count}
      <span className={styles.word}> failed</span>
    </button>
  );
}

/** Returns the cells whose latest run failed, in order. */
function failed(store: Store): readonly CellID[] {
  return (store.notebook()?.cells ?? []).filter((id) => store.run(store.cell(id)?.run ?? "")?.status === "error");
}
