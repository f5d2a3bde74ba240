import { createContext, useCallback, useContext, useEffect, useRef, useSyncExternalStore } from "react";
import type { Client } from "./client.js";
import type { ApprovalID, CellID, OutputID, RunID } from "./event.js";
import { type CellRow, type OutputRow, Store } from "./store.js";
import type { Approval, Input, Notebook, Peer, Refusal, Run, Runtime, Status, Text } from "./view.js";

/** ClientContext holds the client of the open notebook. */
export const ClientContext = createContext<Client | undefined>(undefined);

/** Returns the client of the open notebook. */
export function useClient(): Client {
  const client = useContext(ClientContext);
  if (!client) throw new Error("useClient is called outside a notebook");
  return client;
}

function useRow<T>(key: string, read: (store: Store) => T): T {
  const { store } = useClient();
  const listen = useCallback((f: () => void) => store.listen(key, f), [store, key]);
  return useSyncExternalStore(listen, () => read(store));
}

export function useNotebook(): Notebook | undefined {
  return useRow("notebook", (s) => s.notebook());
}
export function useCell(id: CellID): CellRow | undefined {
  return useRow(Store.cellKey(id), (s) => s.cell(id));
}
export function useText(id: CellID): Text | undefined {
  return useRow(Store.textKey(id), (s) => s.text(id));
}
export function useRun(id: RunID | undefined): Run | undefined {
  return useRow(Store.runKey(id ?? ""), (s) => (id === undefined ? undefined : s.run(id)));
}
export function useOutput(id: OutputID): OutputRow | undefined {
  return useRow(Store.outputKey(id), (s) => s.output(id));
}
export function useQueue(): readonly RunID[] {
  return useRow("queue", (s) => s.queue());
}
/** Returns the number of unfinished runs of code, which the prompts of assistants are not. */
export function useQueuedCode(): number {
  return useRow("queue", (s) => s.queue().filter((id) => s.run(id)?.takes !== "ai").length);
}
export function useRuntime(takes = "code"): Runtime | undefined {
  return useRow("runtimes", (s) => s.runtime(takes));
}
export function useInputs(run: RunID): readonly Input[] {
  return useRow("inputs", (s) => s.inputs(run));
}
export function useApproval(id: ApprovalID | undefined): Approval | undefined {
  return useRow("approvals", (s) => (id === undefined ? undefined : s.approval(id)));
}
export function useApprovals(run: RunID | undefined): readonly Approval[] {
  return useRow("approvals", (s) => s.approvals(run ?? ""));
}
export function usePeers(): readonly Peer[] {
  return useRow("peers", (s) => s.peers());
}
export function useStatus(): Status | undefined {
  return useRow("status", (s) => s.status());
}
/** Returns a value derived from the status. The component is rendered again only when that value changes. */
export function useStatusOf<T extends string | number | boolean | undefined>(read: (status: Status | undefined) => T): T {
  return useRow("status", (s) => read(s.status()));
}
/** Calls back whenever the server is reachable again. */
export function useBack(back: () => void): void {
  const standing = useStatusOf((status) => (status?.trouble !== undefined ? "away" : status?.online ? "there" : "unknown"));
  const away = useRef(false);
  useEffect(() => {
    if (standing === "away") away.current = true;
    if (standing !== "there" || !away.current) return;
    away.current = false;
    back();
  }, [standing, back]);
}
export function useRefused(): readonly Refusal[] {
  return useRow("refused", (s) => s.refused());
}
