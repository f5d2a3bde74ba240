import { useStatusOf } from "../../core/hooks.js";
import type { Status } from "../../core/view.js";
import type { Need } from "./keys.js";

/**
 * Returns whether the role allows something. While it is not known yet, one may: it is the server
 * that decides, and what it refuses is given back.
 */
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

/** Returns whether one may do something in the notebook that is shown. */
export function useMay(need: Need): boolean {
  return useStatusOf((status) => may(status, need));
}
