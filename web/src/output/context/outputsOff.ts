import { createContext } from "react";

/** OutputsOff is a notebook that is shown without its outputs, and with its Markdown unrendered. */
export interface OutputsOff {
  /** Whether the address asked for it, or the page crashed when it was last shown in this tab. */
  readonly why: "asked" | "ended";
  /** Shows the outputs. */
  show(): void;
}

/** OutputsOffContext holds the reason that outputs are hidden; undefined where they are shown. */
export const OutputsOffContext = createContext<OutputsOff | undefined>(undefined);
