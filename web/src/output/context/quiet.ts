import { createContext } from "react";

/** Quiet is a notebook that is shown without its outputs, and with its text as it is written. */
export interface Quiet {
  /** Whether that was asked for, or the page ended by itself when it was last shown in this tab. */
  readonly why: "asked" | "ended";
  /** Shows all. */
  show(): void;
}

/** QuietContext has why outputs are not shown; undefined where they are. */
export const QuietContext = createContext<Quiet | undefined>(undefined);
