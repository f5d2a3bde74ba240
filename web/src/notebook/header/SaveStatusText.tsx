import { Check, CloudOff, LoaderCircle, TriangleAlert } from "lucide-react";
import { useClient } from "../../core/hooks.js";
import { useUI } from "../state/page.js";
import { saveStatus } from "../state/saveStatus.js";
import styles from "./SaveStatusText.module.css";
import { useCalmSaveStatus } from "./useCalmSaveStatus.js";

const icons = {
  saved: <Check />,
  saving: <LoaderCircle />,
  opening: <LoaderCircle />,
  unsaved: <TriangleAlert />,
  away: <CloudOff />,
  ended: <CloudOff />,
} as const;

/** The save status. It is never ahead of the truth: only events on the server's disk are saved. */
export function SaveStatusText() {
  const { store } = useClient();
  const calm = useCalmSaveStatus();
  const unsaved = useUI((state) => state.unsaved.size > 0);
  const { kind, text, detail } = unsaved ? saveStatus(store.status(), true) : calm;
  return (
    <span className={styles.status} data-kind={kind} title={detail ?? text} role="status" aria-live="off">
      <span className={styles.icon} aria-hidden>
        {icons[kind]}
      </span>
      <span className={styles.text}>{text}</span>
    </span>
  );
}
