import { Plus } from "lucide-react";
import { Button } from "../ui/Button.js";

/** Creates a notebook and opens it. */
export function NewButton({ onClick }: { onClick(): void }) {
  return (
    <Button kind="primary" icon={<Plus />} title="New notebook (N)" aria-keyshortcuts="n" onClick={onClick}>
      New notebook
    </Button>
  );
}
