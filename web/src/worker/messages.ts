import type { Seq } from "../core/event.js";
import type { Method } from "../core/protocol.js";

/**
 * ToWorker are the messages of a page to the worker of its notebook. JSON is text that only the core reads; seen is the number
 * up to which the page already shows the notebook.
 */
export type ToWorker =
  | { readonly kind: "open"; readonly notebook: string; readonly lock: string; readonly seen: Seq; readonly key: string }
  /** The page's half of the sign-in, which has changed. */
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
 * ToPage are the messages of the worker to a page. The answer to a push acknowledges its edits; they come in no batch. A page answers a batch, which an answer may contain too, with "shown" before
 * it gets another, and "ask" with "alive".
 */
export type ToPage =
  /** The worker's script is loaded. */
  | { readonly kind: "here" }
  /** The reason that the core is not loaded yet; the attempts continue. */
  | { readonly kind: "loading"; readonly reason: string }
  | { readonly kind: "batch"; readonly json: string }
  | { readonly kind: "answer"; readonly n: number; readonly json: string; readonly batch?: string }
  | { readonly kind: "failed"; readonly n: number; readonly message: string; readonly code?: string }
  /** The JSON of refused events that another page had left to send. */
  | { readonly kind: "refused"; readonly json: string }
  | { readonly kind: "signedOut" }
  /** Asks whether the page is alive. */
  | { readonly kind: "ask" }
  /** The page was closed because it did not answer. It gets no messages until it sends "open" again. */
  | { readonly kind: "closed" }
  /** The notebook was purged, and its stored data is removed too. */
  | { readonly kind: "purged" }
  | { readonly kind: "broken"; readonly message: string };

/** Port is the page's end of the worker, or the worker's end of a page. */
export interface Port<In, Out> {
  postMessage(message: Out): void;
  onmessage: ((event: MessageEvent<In>) => void) | null;
}
