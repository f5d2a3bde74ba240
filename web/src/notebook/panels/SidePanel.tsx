import { lazily, useLazily } from "../../lib/lazily.js";
import { useUI } from "../state/page.js";

const variables = lazily(() => import("./VariablesPanel.js"));

/** The panel beside the cells, loaded when it is first opened. */
export function SidePanel() {
  const side = useUI((state) => state.side);
  const loaded = useLazily(variables, side === "variables");
  return loaded && <loaded.VariablesPanel />;
}
