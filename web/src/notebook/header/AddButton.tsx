import { Plus } from "lucide-react";
import { Button } from "../../ui/Button.js";
import { insert } from "../state/actions.js";
import { attempt } from "../state/attempt.js";
import { usePage } from "../state/page.js";

/** Adds a cell below the active one, and focuses it. */
export function AddButton() {
  const page = usePage();
  const add = (): void => void attempt(page, () => insert(page, "below", "code", page.ui.state.active, "edit"));
  return (
    <Button icon={<Plus aria-hidden />} onClick={add}>
      Cell
    </Button>
  );
}
