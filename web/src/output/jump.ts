import { createContext } from "react";
import type { CellID } from "../core/event.js";

/** Jump goes to a line of a cell, which is named, or known by the count that it ran with. */
export type Jump = (to: { readonly count?: number; readonly cell?: CellID; readonly line: number }) => void;

/** JumpContext has what leads from an error to its place. Without it places are text. */
export const JumpContext = createContext<Jump | undefined>(undefined);
