import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from "react";
import { lazily, useLazily } from "../lib/lazily.js";

/** Something that happened, said in passing. */
export interface Toast {
  readonly text: string;
  readonly kind?: "info" | "error";
  readonly action?: { readonly label: string; onSelect(): void };
  /** Toasts of one topic take each other's place. */
  readonly topic?: string;
  /** Is called when it is not shown any more, for whatever reason. */
  onGone?(): void;
}

/** A toast that is shown, and its place among all that were. */
export interface ShownToast extends Toast {
  readonly id: number;
}

const most = 3; // at once: more would cover the page

/** Shows a toast, and returns what takes it away when it is not true any more. */
export type ShowToast = (toast: Toast) => () => void;

const Show = createContext<ShowToast | undefined>(undefined);

/** What a toast is made of. A page does not need it to be seen, so that it is loaded a little later. */
export const toastParts = lazily(() => import("./ToastList.js"));

/** Returns the function that shows a toast. It is always the same. */
export function useToast(): ShowToast {
  const show = useContext(Show);
  if (!show) throw new Error("useToast is called outside ToastProvider");
  return show;
}

/** Shows the toasts of everything in it. F8 leads to them. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly ShownToast[]>([]);
  const count = useRef(0);
  const close = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  const show = useCallback((toast: Toast) => {
    const shown = { ...toast, id: ++count.current };
    const isOther = (one: ShownToast): boolean => toast.topic === undefined || one.topic !== toast.topic;
    setToasts((all) => [...all.filter(isOther), shown].slice(-most));
    return () => close(shown.id);
  }, [close]);
  const parts = useLazily(toastParts, toasts.length > 0);
  return (
    <Show value={show}>
      {children}
      {parts && <parts.ToastList toasts={toasts} onClose={close} />}
    </Show>
  );
}
