import { ChevronsDownUp, ChevronsUpDown, Copy, Download, Ellipsis, Eraser, Keyboard, Search, Variable } from "lucide-react";
import { notebook } from "../app/route.js";
import { type Router, useRouter } from "../app/router.js";
import { useTheme } from "../app/theme.js";
import { themeItems } from "../app/themeItems.js";
import { type Api, useApi } from "../core/api.js";
import { useNotebook } from "../core/hooks.js";
import { IconButton } from "../ui/IconButton.js";
import { Menu, type MenuItem } from "../ui/Menu.js";
import { order } from "./actions.js";
import { attempt } from "./attempt.js";
import { shortcut } from "./keys.js";
import { type Page, usePage } from "./page.js";
import { useMay } from "./role.js";

const separator = { kind: "separator" } as const;

/** What else can be done with the notebook. */
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
    separator,
    { kind: "item", label: "Duplicate", icon: <Copy />, onSelect: () => void attempt(page, () => duplicate(page, api, router)) } as const,
    ...exportItems(page, api),
    separator,
    ...themeItems(theme),
  ];
  return <Menu label="More" items={items} trigger={<IconButton label="More" icon={<Ellipsis />} />} />;
}

function showItems(page: Page, disabled: boolean): readonly MenuItem[] {
  const keys = { find: shortcut("find", page.mac), variables: shortcut("variables", page.mac), help: "?" };
  const fold = (outputs: boolean): void => page.desk.fold(order(page), { outputs });
  return [
    { kind: "item", label: "Find and replace", icon: <Search />, onSelect: () => page.act("find"), disabled, ...(keys.find && { shortcut: keys.find }) },
    { kind: "item", label: "Variables", icon: <Variable />, onSelect: () => page.act("variables"), ...(keys.variables && { shortcut: keys.variables }) },
    { kind: "item", label: "Keyboard shortcuts", icon: <Keyboard />, onSelect: () => page.act("help"), shortcut: keys.help },
    separator,
    { kind: "item", label: "Fold all outputs", icon: <ChevronsDownUp />, onSelect: () => fold(true), disabled },
    { kind: "item", label: "Open all outputs", icon: <ChevronsUpDown />, onSelect: () => fold(false), disabled },
    { kind: "item", label: "Fold all code", icon: <ChevronsDownUp />, onSelect: () => foldCode(page, true), disabled },
    { kind: "item", label: "Open all code", icon: <ChevronsUpDown />, onSelect: () => foldCode(page, false), disabled },
  ];
}

function foldCode(page: Page, source: boolean): void {
  page.desk.fold(order(page).filter((id) => page.client.store.cell(id)?.kind !== "markdown"), { source });
}

function clearItem(page: Page, disabled: boolean): MenuItem {
  const clear = async (): Promise<void> => {
    await page.client.command({ kind: "clearOutputs" });
    page.note({ text: "All outputs are cleared." });
  };
  return { kind: "item", label: "Clear all outputs", icon: <Eraser />, onSelect: () => void attempt(page, clear), disabled };
}

function exportItems({ id }: Page, api: Api): readonly MenuItem[] {
  const formats = [["ipynb", "Jupyter notebook (.ipynb)"], ["py", "Program (.py)"], ["md", "Markdown (.md)"], ["html", "Page (.html)"]] as const;
  return formats.map(([format, label]) => ({ kind: "link", label: `Export as ${label}`, href: api.exportURL(id, format), icon: <Download />, download: true }));
}

async function duplicate({ id, desk, note }: Page, api: Api, router: Router): Promise<void> {
  await desk.flush();
  const copy = await api.duplicate(id);
  note({ text: "The copy is open now." });
  router.go(notebook(copy.id, copy.title));
}
