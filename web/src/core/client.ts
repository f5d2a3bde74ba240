import type { CellID, Json } from "./event.js";
import type { Method, Presence } from "./protocol.js";
import type { Store, TextListener } from "./store.js";
import type { Command, Result, TextPush } from "./view.js";

/**
 * Client is all that a page knows of a notebook: its rows, and what can be ordered. Behind it are
 * the Go core in a worker, the socket and the storage; none of them is visible from here.
 */
export interface Client {
  /** What the notebook shows now, and from the first paint on what the server said of it. */
  readonly store: Store;
  /** Does a command. The promise is rejected with an Error whose message people can read. */
  command(command: Command): Promise<Result>;
  /**
   * Proposes edits of a source, as they follow the version named. They are taken only if that is
   * the latest: true. Otherwise (false) the updates in between are on their way, and the editor pushes again
   * when it has them.
   */
  push(push: TextPush): Promise<boolean>;
  /**
   * Calls f with the updates of a cell's source from now on, in order, those with the editor's own
   * name among them, and with how text moved. Returns what ends it. The text so far is in the store, with its version.
   */
  onText(cell: CellID, f: TextListener): () => void;
  /** Says where this person is. It is sent at most ten times a second. */
  present(presence: Presence): void;
  /** Asks the runtime: what could complete a source, what a name is, which variables there are. */
  call(method: Method, params: Json, signal?: AbortSignal): Promise<Json>;
  /** Tells the core to try the connection at once, after it was away. */
  reconnect(): void;
  close(): void;
}
