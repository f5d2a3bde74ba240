import { createContext } from "react";
import type { CellID } from "../../core/event.js";

/** Target is a line of a cell, which is given by its id, or by the count of its run. */
export interface Target {
  readonly count?: number;
  readonly cell?: CellID;
  readonly line: number;
  /** The referring cell: of several cells with the same count it is the target. */
  readonly from?: CellID;
}

/** Jump goes to a line of a cell. */
export type Jump = (to: Target) => void;

/** JumpContext holds the function that leads from an error to its place. Without it places are plain text. */
export const JumpContext = createContext<Jump | undefined>(undefined);
