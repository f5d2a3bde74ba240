import type { Listing } from "../core/api.js";

/** Reports whether the user may rename, delete and restore a notebook. Without a known role the server decides. */
export function may({ role }: Listing): boolean {
  return role === undefined || role === "owner";
}
