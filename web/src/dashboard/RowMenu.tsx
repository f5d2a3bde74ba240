import { Copy, Download, Ellipsis, ExternalLink, Pencil, Trash2 } from "lucide-react";
import { type Api, formats, useApi } from "../core/api.js";
import type { Listing } from "../core/http.js";
import { may } from "../core/may.js";
import { printable, shorten } from "../lib/printable.js";
import { IconButton } from "../ui/IconButton.js";
import { Menu, type MenuItem } from "../ui/Menu.js";
import type { Actions } from "./useActions.js";

interface Props {
  readonly notebook: Listing;
  readonly actions: Actions;
  onRename(): void;
}

/** The actions on a listed notebook. */
export function RowMenu({ notebook, actions, onRename }: Props) {
  const api = useApi();
  const label = `Actions for ${shorten(printable(notebook.title), 60)}`;
  return <Menu label={label} trigger={<IconButton label={label} icon={<Ellipsis />} />} items={itemsOf(notebook, actions, api, onRename)} />;
}

function itemsOf(notebook: Listing, actions: Actions, api: Api, onRename: () => void): readonly MenuItem[] {
  const disabled = !may(notebook.role, "manage");
  return [
    { kind: "item", label: "Open", icon: <ExternalLink />, shortcut: "Enter", onSelect: () => actions.open(notebook) },
    { kind: "item", label: "Rename", icon: <Pencil />, disabled, onSelect: onRename },
    { kind: "item", label: "Duplicate", icon: <Copy />, onSelect: () => actions.duplicate(notebook) },
    { kind: "separator" },
    ...formats.map(({ format, label }) => ({ kind: "link", label, icon: <Download />, href: api.exportURL(notebook.id, format), download: true }) as const),
    { kind: "separator" },
    { kind: "item", label: "Delete", icon: <Trash2 />, danger: true, disabled, onSelect: () => actions.delete(notebook) },
  ];
}
