import { useStatusOf } from "../../core/hooks.js";
import type { Status } from "../../core/view.js";
import type { Need } from "./keys.js";

/** Returns whether the role allows an action. An unknown role allows it: the server decides, and refused changes are given back. */
export function may(status: Status | undefined, need: Need): boolean {
  switch (status?.role) {
    case "viewer":
    case "runtime":
      return false;
    case "runner":
      return need === "run";
    default:
      return true;
  }
}

/** Returns whether the user may do something in the open notebook. */
export function useMay(need: Need): boolean {
  return useStatusOf((status) => may(status, need));
}
