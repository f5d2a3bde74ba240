import type { Approval, Run } from "../../core/view.js";
import { useApprovals, useClient } from "../../core/hooks.js";
import type { CellRow, Store } from "../../core/store.js";
import { lazily, useLazily } from "../../lib/lazily.js";
import { partOf } from "../../output/assistant/part.js";
import { Fields } from "../../lib/parse.js";

const card = lazily(() => import("./ApprovalCard.js"));

/** The question of an assistant whether it may call a tool, until the call has a result or the run ends. */
export function Approvals({ cell, run }: { readonly cell: CellRow; readonly run: Run | undefined }) {
  const { store } = useClient();
  const last = useApprovals(run?.id).at(-1);
  const asked = last && run?.state === "started" && !run.cancelled && !hasResult(store, cell, last) ? last : undefined;
  const loaded = useLazily(card, asked !== undefined);
  return asked && loaded ? <loaded.ApprovalCard key={asked.id} asked={asked} /> : null;
}

/** Reports whether the outputs of a cell have the result of the call that a question is about. It comes too if the question was waited for in vain. */
function hasResult(store: Store, cell: CellRow, { id }: Approval): boolean {
  return (cell.outputs ?? []).some((output) => {
    const found = partOf(store.output(output)?.value);
    return found?.part === "result" && new Fields(found.value).stringIfAny("approval") === id;
  });
}
