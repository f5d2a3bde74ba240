import { ChevronsDownUp, ChevronsUpDown, Copy, Download, Ellipsis, Eraser, EyeOff, Keyboard, LogOut, Search, Variable } from "lucide-react";
import { type Api, formats, useApi } from "../../core/api.js";
import { useNotebook } from "../../core/hooks.js";
import { counted } from "../../lib/counted.js";
import { notebook } from "../../routing/route.js";
import { type Router, useRouter } from "../../routing/router.js";
import { IconButton } from "../../ui/IconButton.js";
import { Menu, type MenuItem } from "../../ui/Menu.js";
import { useTheme } from "../../ui/theme.js";
import { themeItems } from "../../ui/themeItems.js";
import { clearOutputs, order } from "../state/actions.js";
import { countOf } from "../state/attachments.js";
import { attempt } from "../state/attempt.js";
import { shortcut } from "../state/keymap.js";
import { type Page, usePage } from "../state/page.js";
import { useMay } from "../state/role.js";

const separator = { kind: "separator" } as const;

/** The other actions on the notebook. */
export function MoreMenu() {
  const page = usePage();
  const api = useApi();
  const router = useRouter();
  const mayEdit = useMay("edit");
  const empty = (useNotebook()?.cells.length ?? 0) === 0;
  const theme = useTheme();
  const items = [
    ...showItems(page, empty),
    ...(mayEdit ? [clearItem(page, empty)] : []),
    { kind: "link", label: "Open without outputs", href: "?outputs=off", icon: <EyeOff /> } as const,
    separator,
    { kind: "item", label: "Duplicate", icon: <Copy />, onSelect: () => void attempt(page, () => duplicate(page, api, router)) } as const,
    ...exportItems(page, api),
    separator,
    ...themeItems(theme),
    separator,
    { kind: "link", label: "Sign out", icon: <LogOut />, href: "/logout" } as const,
  ];
  return <Menu label="More" items={items} trigger={<IconButton label="More" icon={<Ellipsis />} />} />;
}

function showItems(page: Page, disabled: boolean): readonly MenuItem[] {
  const keys = { find: shortcut("find", page.mac), variables: shortcut("variables", page.mac), help: "?" };
  const fold = (outputs: boolean): void => page.ui.fold(order(page), { outputs });
  return [
    { kind: "item", label: "Find and replace", icon: <Search />, onSelect: () => page.act("find"), disabled, ...(keys.find && { shortcut: keys.find }) },
    { kind: "item", label: "Variables", icon: <Variable />, onSelect: () => page.act("variables"), ...(keys.variables && { shortcut: keys.variables }) },
    { kind: "item", label: "Keyboard shortcuts", icon: <Keyboard />, onSelect: () => page.act("help"), shortcut: keys.help },
    separator,
    { kind: "item", label: "Collapse all outputs", icon: <ChevronsDownUp />, onSelect: () => fold(true), disabled },
    { kind: "item", label: "Expand all outputs", icon: <ChevronsUpDown />, onSelect: () => fold(false), disabled },
    { kind: "item", label: "Hide all code", icon: <ChevronsDownUp />, onSelect: () => foldCode(page, true), disabled },
    { kind: "item", label: "Show all code", icon: <ChevronsUpDown />, onSelect: () => foldCode(page, false), disabled },
  ];
}

function foldCode(page: Page, source: boolean): void {
  page.ui.fold(
    order(page).filter((id) => page.client.store.cell(id)?.kind !== "markdown"),
    { source },
  );
}

function clearItem(page: Page, disabled: boolean): MenuItem {
  return { kind: "item", label: "Clear all outputs", icon: <Eraser />, onSelect: () => void attempt(page, () => clearOutputs(page)), disabled };
}

function exportItems({ id, client: { store } }: Page, api: Api): readonly MenuItem[] {
  const attached = (store.notebook()?.cells ?? []).reduce((sum, cell) => sum + countOf(store.cell(cell)?.metadata), 0);
  const without = attached > 0 ? `, without ${counted(attached, "attached file")}` : "";
  return formats.map(({ format, label }) => ({
    kind: "link",
    label: `${label}${format === "py" || format === "md" ? without : ""}`,
    href: api.exportURL(id, format),
    icon: <Download />,
    download: true,
  }));
}

async function duplicate({ id, ui, note }: Page, api: Api, router: Router): Promise<void> {
  await ui.flush();
  const copy = await api.duplicate(id);
  note({ text: "This is the copy." });
  router.go(notebook(copy.id, copy.title));
}
