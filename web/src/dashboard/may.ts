import type { Listing } from "../core/api.js";

/** Reports whether one may rename, delete and restore a notebook. Where no role is known, the server decides. */
export function may({ role }: Listing): boolean {
  return role === undefined || role === "owner";
}
