import { Provider, Viewport } from "radix-ui/toast";
import { ToastCard } from "./ToastCard.js";
import type { ShownToast } from "./toast.js";
import styles from "./toast.module.css";

interface Props {
  readonly toasts: readonly ShownToast[];
  onClose(id: number): void;
}

/** The shown toasts. */
export function ToastList({ toasts, onClose }: Props) {
  return (
    <Provider label="Notification" swipeDirection="down">
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} onClose={onClose} />
      ))}
      <Viewport className={styles.viewport} />
    </Provider>
  );
}
