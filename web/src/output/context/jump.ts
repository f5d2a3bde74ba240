import { createContext } from "react";
import type { CellID } from "../../core/event.js";

/** Target is a line of a cell, which is named, or known by the count that it ran with. */
export interface Target {
  readonly count?: number;
  readonly cell?: CellID;
  readonly line: number;
  /** The cell that says so: of several that ran with the same count it is meant. */
  readonly from?: CellID;
}

/** Jump goes to a line of a cell. */
export type Jump = (to: Target) => void;

/** JumpContext has what leads from an error to its place. Without it places are text. */
export const JumpContext = createContext<Jump | undefined>(undefined);
