import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from "react";
import { lazily, useLazily } from "../lib/lazily.js";

/** A short message about an event. */
export interface Toast {
  readonly text: string;
  readonly kind?: "info" | "error";
  readonly action?: { readonly label: string; onSelect(): void };
  /** A toast replaces an earlier one of its topic. */
  readonly topic?: string;
  /** Called when it disappears, for whatever reason. */
  onGone?(): void;
}

/** A toast with its number. */
export interface ShownToast extends Toast {
  readonly id: number;
}

const most = 3; // at once: more would cover the page

/** Shows a toast, and returns the function that withdraws it. */
export type ShowToast = (toast: Toast) => () => void;

const Show = createContext<ShowToast | undefined>(undefined);

/** The parts of a toast. The first paint does not need them, so they are loaded a little later. */
export const toastParts = lazily(() => import("./ToastList.js"));

/** Returns the function that shows a toast: a stable reference. */
export function useToast(): ShowToast {
  const show = useContext(Show);
  if (!show) throw new Error("useToast is called outside ToastProvider");
  return show;
}

/** Shows the toasts of its children. F8 focuses them. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly ShownToast[]>([]);
  const count = useRef(0);
  const close = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  const show = useCallback(
    (toast: Toast) => {
      const shown = { ...toast, id: ++count.current };
      const isOther = (one: ShownToast): boolean => toast.topic === undefined || one.topic !== toast.topic;
      setToasts((all) => [...all.filter(isOther), shown].slice(-most));
      return () => close(shown.id);
    },
    [close],
  );
  const parts = useLazily(toastParts, toasts.length > 0);
  return (
    <Show value={show}>
      {children}
      {parts && <parts.ToastList toasts={toasts} onClose={close} />}
    </Show>
  );
}
