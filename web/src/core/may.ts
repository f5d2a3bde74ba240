import type { Action, Role } from "./protocol.js";
import { actionsOf } from "./roles.js";

/** Reports whether a role may do an action. An unknown role may: the server decides, and refused changes are given back. */
export function may(role: Role | undefined, action: Action): boolean {
  return role === undefined || actionsOf[role].includes(action);
}
