import { RotateCcw } from "lucide-react";
import type { Listing } from "../core/http.js";
import { may } from "../core/may.js";
import { printable, shorten } from "../lib/printable.js";
import { Button } from "../ui/Button.js";

interface Props {
  readonly notebook: Listing;
  onRestore(notebook: Listing): void;
}

/** Restores a deleted notebook. */
export function RestoreButton({ notebook, onRestore }: Props) {
  if (!may(notebook.role, "manage")) return null;
  return (
    <Button data-row icon={<RotateCcw />} aria-label={`Restore ${shorten(printable(notebook.title), 60)}`} onClick={() => onRestore(notebook)}>
      Restore
    </Button>
  );
}
