import type { Seq } from "../core/event.js";
import type { Method } from "../core/protocol.js";

/**
 * ToWorker is what a page says to the worker that has its notebook. JSON is text that only the core reads; seen is
 * the number up to which the page shows the notebook already.
 */
export type ToWorker =
  | { readonly kind: "open"; readonly notebook: string; readonly lock: string; readonly seen: Seq; readonly key: string }
  /** The half of the sign-in that the page keeps, which has changed. */
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "command"; readonly n: number; readonly json: string }
  | { readonly kind: "push"; readonly n: number; readonly json: string }
  | { readonly kind: "call"; readonly n: number; readonly method: Method; readonly params: string }
  | { readonly kind: "giveUp"; readonly n: number }
  | { readonly kind: "present"; readonly json: string }
  | { readonly kind: "shown" }
  | { readonly kind: "reconnect" }
  /** The answer to "ask". */
  | { readonly kind: "alive" }
  | { readonly kind: "close" };

/**
 * ToPage is what the worker says to a page. A page answers a batch, which an answer may have too, with "shown" before it
 * gets another, and "ask" with "alive".
 */
export type ToPage =
  /** The worker is there: its script was loaded. */
  | { readonly kind: "here" }
  /** Why the core is not loaded yet; it is tried again. */
  | { readonly kind: "loading"; readonly reason: string }
  | { readonly kind: "batch"; readonly json: string }
  | { readonly kind: "answer"; readonly n: number; readonly json: string; readonly batch?: string }
  | { readonly kind: "failed"; readonly n: number; readonly message: string; readonly code?: string }
  /** The JSON of refusals of what another page had left to send. */
  | { readonly kind: "refused"; readonly json: string }
  | { readonly kind: "signedOut" }
  /** Asks whether the page is still there. */
  | { readonly kind: "ask" }
  /** The page was closed, since it did not answer. It gets no more until it says "open" again. */
  | { readonly kind: "closed" }
  /** The notebook was removed for good, and what the worker kept of it is removed too. */
  | { readonly kind: "purged" }
  | { readonly kind: "broken"; readonly message: string };

/** Port is the page's end of the worker, or the worker's of a page. */
export interface Port<In, Out> {
  postMessage(message: Out): void;
  onmessage: ((event: MessageEvent<In>) => void) | null;
}
