import type { CellID, Json } from "./event.js";
import type { Method, Presence } from "./protocol.js";
import type { Store, TextListener } from "./store.js";
import type { Command, Result, TextPush } from "./view.js";

/**
 * Client is the page's whole interface to a notebook: its rows, and commands. Behind it are the Go core in a worker, the socket
 * and the storage; none of them is visible from here.
 */
export interface Client {
  /** The present rows of the notebook: at first those in the server's page, later those of the core. */
  readonly store: Store;
  /** Executes a command. The promise is rejected with an Error whose message is meant for users. */
  command(command: Command): Promise<Result>;
  /**
   * Proposes edits of a source that follow the given version. Resolves with true if that was the latest version. With false the
   * updates in between are on their way, and the editor pushes again when it has them.
   */
  push(push: TextPush): Promise<boolean>;
  /**
   * Calls f with the coming updates of a cell's source, in order, including those with the editor's own name, and with moves of
   * text. Returns the unsubscribe function. The present text is in the store, with its version.
   */
  onText(cell: CellID, f: TextListener): () => void;
  /** Publishes the user's presence, at most ten times a second. */
  present(presence: Presence): void;
  /** Asks the runtime for completions, an inspection, or the variables. */
  call(method: Method, params: Json, signal?: AbortSignal): Promise<Json>;
  /** Ends the pause before the next connection attempt. */
  reconnect(): void;
  close(): void;
}
