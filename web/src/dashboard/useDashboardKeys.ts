import { type RefObject, useEffect } from "react";
import { moveFocus, rowsIn } from "./rows.js";
import type { Actions } from "./useActions.js";

type Key = (main: HTMLElement, actions: Actions) => void;

const down: Key = (main) => moveFocus(rowsIn(main), 1);
const up: Key = (main) => moveFocus(rowsIn(main), -1);

/** The keys of the dashboard. Enter belongs to the link. */
const keys: ReadonlyMap<string, Key> = new Map([
  ["ArrowDown", down],
  ["j", down],
  ["ArrowUp", up],
  ["k", up],
  ["n", (_, actions) => actions.create()],
  ["/", (main) => main.querySelector<HTMLElement>("input[type=search]")?.focus()],
]);

/** Elements with keys of their own. */
const taken = "input, textarea, select, [contenteditable], [role=menu], [role=dialog], dialog";

/** Handles the keys of the dashboard, except in elements with keys of their own. */
export function useDashboardKeys(main: RefObject<HTMLElement | null>, actions: Actions): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !main.current) return;
      const { target } = event;
      const inSearch = target instanceof HTMLInputElement && target.type === "search" && event.key === "ArrowDown";
      if (!inSearch && target instanceof Element && target.closest(taken)) return;
      if (event.repeat && !event.key.startsWith("Arrow") && event.key !== "j" && event.key !== "k") return;
      const act = keys.get(event.key);
      if (!act) return;
      event.preventDefault();
      act(main.current, actions);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [main, actions]);
}
