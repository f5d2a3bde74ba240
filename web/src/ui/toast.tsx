import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from "react";
import { Provider, Viewport } from "radix-ui/toast";
import { ToastCard } from "./ToastCard.js";
import styles from "./toast.module.css";

/** Something that happened, said in passing. */
export interface Toast {
  readonly text: string;
  readonly kind?: "info" | "error";
  readonly action?: { readonly label: string; onSelect(): void };
}

/** A toast that is shown, and its place among all that were. */
export interface ShownToast extends Toast {
  readonly id: number;
}

const most = 3; // at once: more would cover the page
const Show = createContext<((toast: Toast) => void) | undefined>(undefined);

/** Returns the function that shows a toast. It is always the same. */
export function useToast(): (toast: Toast) => void {
  const show = useContext(Show);
  if (!show) throw new Error("useToast is called outside ToastProvider");
  return show;
}

/** Shows the toasts of everything in it. F8 leads to them. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly ShownToast[]>([]);
  const count = useRef(0);
  const show = useCallback((toast: Toast) => {
    const shown = { ...toast, id: ++count.current };
    setToasts((all) => [...all, shown].slice(-most));
  }, []);
  const close = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  return (
    <Show value={show}>
      <Provider label="Notification" swipeDirection="down">
        {children}
        {toasts.map((toast) => (
          <ToastCard key={toast.id} toast={toast} onClose={close} />
        ))}
        <Viewport className={styles.viewport} />
      </Provider>
    </Show>
  );
}
