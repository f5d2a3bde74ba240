import { useStatusOf } from "../../core/hooks.js";
import { may } from "../../core/may.js";
import type { Action } from "../../core/protocol.js";

/** Returns whether the user may do an action in the open notebook. */
export function useMay(action: Action): boolean {
  return useStatusOf((status) => may(status?.role, action));
}
