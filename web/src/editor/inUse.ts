import { lazily } from "../lib/lazily.js";

/** The extensions and commands of editors in use. Code completion makes them large, and a page can be edited before they are loaded. */
export const inUse = lazily(() => import("./lazyExtensions.js"));
