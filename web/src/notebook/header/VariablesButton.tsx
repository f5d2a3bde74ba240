import { Variable } from "lucide-react";
import { IconButton } from "../../ui/IconButton.js";
import { shortcut } from "../state/keymap.js";
import { useUI, usePage } from "../state/page.js";

/** Shows or hides the variables beside the cells. */
export function VariablesButton() {
  const page = usePage();
  const open = useUI((state) => state.side === "variables");
  return <IconButton label="Variables" icon={<Variable />} shortcut={shortcut("variables", page.mac)} pressed={open} onClick={() => page.act("variables")} />;
}
