import { Dialog } from "../../ui/Dialog.js";
import { type Key, keymap, shown } from "../state/keymap.js";
import { usePage } from "../state/page.js";
import styles from "./KeySheet.module.css";

/** The keymap in a dialog. */
export function KeySheet() {
  const { ui, mac } = usePage();
  const groups = [...new Set(keymap.map((row) => row.group))];
  return (
    <Dialog title="Keyboard shortcuts" open onClose={() => ui.set({ panel: undefined })}>
      <p className={styles.hint}>
        Press <kbd>Esc</kbd> to leave the text of a cell, and <kbd>Enter</kbd> to go back into it. Most keys below are for when you are not in the text.
      </p>
      <div className={styles.groups}>
        {groups.map((group) => (
          <Keys key={group} title={group} rows={keymap.filter((row) => row.group === group && !(row.action === "save" && row.mode === "edit"))} mac={mac} />
        ))}
      </div>
    </Dialog>
  );
}

function Keys({ title, rows, mac }: { readonly title: string; readonly rows: readonly Key[]; readonly mac: boolean }) {
  return (
    <section className={styles.group}>
      <h3>{title}</h3>
      <dl>
        {rows.map((row) => (
          <div key={row.action} className={styles.row}>
            <dt>{row.label}</dt>
            <dd>
              {[...new Set(row.keys.map((key) => shown(key, mac)))].map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
              {row.mode === "edit" && <span className={styles.where}>in the text</span>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
