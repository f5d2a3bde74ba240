import { lazy, Suspense } from "react";
import { useDesk } from "./page.js";

const VariablesPanel = lazy(async () => ({ default: (await import("./VariablesPanel.js")).VariablesPanel }));

/** What stands beside the cells when somebody wants it. */
export function Side() {
  const side = useDesk((state) => state.side);
  return <Suspense>{side === "variables" && <VariablesPanel />}</Suspense>;
}
