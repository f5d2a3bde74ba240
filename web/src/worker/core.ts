import type { Method } from "../core/protocol.js";

/** Core is the Go core of one notebook, as it shows itself to JavaScript. What fails is returned as an Error. */
export interface Core {
  /** Adds a page that shows the notebook up to a number already. Returns the page's own number. */
  open(seen: number): number;
  close(page: number): void;
  /** Says whether there is more to take than how the core stands to the server. */
  pressing(page: number): boolean;
  take(page: number): string | null | Error;
  command(page: number, json: string): string | Error;
  push(page: number, json: string): boolean | Error;
  present(json: string): null | Error;
  /** Returns what ends the call; it must be called once the answer has come, too. */
  call(method: Method, params: string, done: (answer: string | Error) => void): () => void;
  /** The JSON of what is to be stored since the last flush; null if nothing is. */
  flush(): string | null | Error;
  /** Says whether what the last flush returned is stored. */
  stored(ok: boolean): void;
  client(): string;
  unstored(reason: string): void;
  /** Ends the pause before the next try to connect. */
  retry(): void;
  /** Ends the connection for good. */
  end(): void;
}

/** Wire is a socket that is lent to the core. */
export interface Wire {
  send(text: string): void;
  /** The number of bytes that wait to be sent. */
  held(): number;
  close(): void;
}

/** Lent is what the worker lends to the core. */
export interface Lent {
  dial(opened: () => void, received: (text: string) => void, lost: (code: string, message: string) => void): Wire;
  changed(): void;
  id(): string;
  /** The JSON of what was stored of this replica, "" if nothing was. */
  readonly kept: string;
}

/** StartCore starts the core. */
export type StartCore = (lent: Lent) => Core;
