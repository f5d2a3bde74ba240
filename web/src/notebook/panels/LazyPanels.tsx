import { lazily, useLazily } from "../../lib/lazily.js";
import { useUI } from "../state/page.js";

const find = lazily(() => import("../find/FindPanel.js"));
const keys = lazily(() => import("./KeySheet.js"));

/** The panels that are loaded when they are first opened. */
export function LazyPanels() {
  const panel = useUI((state) => state.panel);
  const finds = useLazily(find, panel === "find");
  const sheet = useLazily(keys, panel === "keys");
  return (
    <>
      {finds && <finds.FindPanel />}
      {sheet && <sheet.KeySheet />}
    </>
  );
}
