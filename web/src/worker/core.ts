import type { Method } from "../core/protocol.js";

/** Core is the JavaScript interface of the Go core of one notebook. Failures are returned as an Error. */
export interface Core {
  /** Adds a page that already shows the notebook up to a number. Returns the page's own number. */
  open(seen: number): number;
  close(page: number): void;
  /** Reports whether there is more to take than the connection's status. */
  pressing(page: number): boolean;
  take(page: number): string | null | Error;
  command(page: number, json: string): string | Error;
  push(page: number, json: string): boolean | Error;
  present(json: string): null | Error;
  /** Returns the function that ends the call; it must be called after the answer too. */
  call(method: Method, params: string, done: (answer: string | Error) => void): () => void;
  /** The JSON to store since the last flush; null if there is none. */
  flush(): string | null | Error;
  /** Reports whether the last flush was stored. */
  stored(ok: boolean): void;
  client(): string;
  unstored(reason: string): void;
  /** Ends the pause before the next connection attempt. */
  retry(): void;
  /** Ends the connection for good. */
  end(): void;
}

/** Wire is a socket for the core. */
export interface Wire {
  send(text: string): void;
  /** The number of bytes in the send buffer. */
  held(): number;
  close(): void;
}

/** Lent are the worker's functions for the core. */
export interface Lent {
  dial(opened: () => void, received: (text: string) => void, lost: (code: string, message: string) => void): Wire;
  changed(): void;
  id(): string;
  /** The stored JSON of this replica, "" if there is none. */
  readonly kept: string;
}

/** StartCore starts the core. */
export type StartCore = (lent: Lent) => Core;
