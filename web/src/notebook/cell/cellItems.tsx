import {
  ChevronDown,
  ChevronsDownUp,
  ChevronUp,
  ClipboardPaste,
  Code,
  Combine,
  Copy,
  CopyPlus,
  Eraser,
  FileText,
  ListEnd,
  ListStart,
  Scissors,
  Split,
  Trash2,
  Type,
  Users,
} from "lucide-react";
import type { CellID } from "../../core/event.js";
import { languageID, languageTitle } from "../../core/language.js";
import type { CellRow } from "../../core/store.js";
import type { MenuItem } from "../../ui/Menu.js";
import { actions, clearOutputs, copy, foldForAll, foldOutputs, foldSource, paste, pasteItems } from "../state/actions.js";
import { attempt } from "../state/attempt.js";
import { copies } from "../state/clipboard.js";
import { type ActionName, shortcut } from "../state/keymap.js";
import type { Page } from "../state/page.js";
import { runnable, runPart } from "../state/runs.js";
import type { Fold } from "../state/uiState.js";
import { speak } from "./KindMenu.js";

interface Of {
  readonly page: Page;
  readonly cell: CellRow;
  readonly fold: Fold | undefined;
  readonly mayEdit: boolean;
  readonly mayRun: boolean;
}

const separator: MenuItem = { kind: "separator" };

/** Returns the items of a cell's own menu. */
export function moreItems(of: Of): readonly MenuItem[] {
  const groups = [
    of.mayRun && runnable(of.cell.kind) ? runItems(of) : [],
    clipItems(of),
    of.mayEdit ? shapeItems(of) : [],
    of.mayEdit ? kindItems(of) : [],
    foldItems(of),
    of.mayEdit ? moveItems(of) : [],
  ];
  return groups.filter((group) => group.length > 0).flatMap((group, i) => (i === 0 ? group : [separator, ...group]));
}

function item({ page }: Of, label: string, icon: React.ReactNode, does: () => void | Promise<void>, action?: ActionName): MenuItem {
  const key = action && shortcut(action, page.mac);
  return { kind: "item", label, icon, onSelect: () => void attempt(page, does), ...(key !== undefined && { shortcut: key }) };
}

/** Applies an action to one cell, which becomes the active one. */
function on({ page, cell }: Of, action: ActionName): () => void | Promise<void> {
  return () => {
    page.ui.place(cell.id);
    return actions[action](page);
  };
}

function runItems(of: Of): readonly MenuItem[] {
  const { page, cell } = of;
  return [
    item(of, "Run all above", <ListStart />, () => runPart(page, cell.id, "above")),
    item(of, "Run this and all below", <ListEnd />, () => runPart(page, cell.id, "below")),
  ];
}

function clipItems(of: Of): readonly MenuItem[] {
  const { page, cell, mayEdit } = of;
  const one = item(of, "Copy", <Copy />, () => copy(page, [cell.id]), "copy");
  if (!mayEdit) return [one];
  return [
    item(of, "Cut", <Scissors />, on(of, "cut"), "cut"),
    one,
    item(of, "Paste below", <ClipboardPaste />, () => (page.ui.place(cell.id), paste(page, "below", cell.id)), "paste"),
    item(of, "Duplicate", <CopyPlus />, () => duplicate(page, cell.id)),
  ];
}

function shapeItems(of: Of): readonly MenuItem[] {
  const { page, cell } = of;
  return [
    item(of, "Split at caret", <Split />, () => actions.split(page), "split"),
    item(of, "Merge with cell below", <Combine />, on(of, "merge"), "merge"),
    ...((cell.outputs?.length ?? 0) > 0 ? [item(of, "Clear outputs", <Eraser />, () => clearOutputs(page, [cell.id]))] : []),
  ];
}

function kindItems(of: Of): readonly MenuItem[] {
  const { cell } = of;
  return [
    ...(cell.kind === "code" ? [] : [item(of, "Change to code", <Code />, on(of, "toCode"), "toCode")]),
    ...(cell.kind === "markdown" ? [] : [item(of, "Change to Markdown", <Type />, on(of, "toMarkdown"), "toMarkdown")]),
    ...(cell.kind === "raw" ? [] : [item(of, "Change to raw text", <FileText />, on(of, "toRaw"), "toRaw")]),
    ...languageItems(of),
  ];
}

/** The runtime's languages, except the cell's own. */
function languageItems(of: Of): readonly MenuItem[] {
  const {
    page: { client },
    cell,
  } = of;
  const own = cell.kind === "code" ? languageID(cell.language || client.store.notebook()?.language || "python") : undefined;
  const offered = client.store.runtime()?.languages ?? [];
  return offered.filter((id) => id !== own).map((id) => item(of, `Change to ${languageTitle(id)}`, <Code />, () => speak(of.page, cell, id)));
}

function moveItems(of: Of): readonly MenuItem[] {
  return [
    item(of, "Move up", <ChevronUp />, on(of, "moveUp"), "moveUp"),
    item(of, "Move down", <ChevronDown />, on(of, "moveDown"), "moveDown"),
    item(of, "Delete", <Trash2 />, on(of, "delete"), "delete"),
  ];
}

function foldItems(of: Of): readonly MenuItem[] {
  const { page, cell, fold, mayEdit } = of;
  const source = fold?.source ?? cell.hideSource ?? false;
  const outputs = fold?.outputs ?? cell.hideOutputs ?? false;
  return [
    item(of, source ? "Show code" : "Hide code", <ChevronsDownUp />, () => foldSource(page, [cell.id])),
    ...((cell.outputs?.length ?? 0) > 0
      ? [item(of, outputs ? "Expand outputs" : "Collapse outputs", <ChevronsDownUp />, () => foldOutputs(page, [cell.id]), "toggleOutputs")]
      : []),
    ...(mayEdit && (source !== (cell.hideSource ?? false) || outputs !== (cell.hideOutputs ?? false))
      ? [item(of, "Show it like this to everyone", <Users />, () => foldForAll(page, cell.id))]
      : []),
  ];
}

async function duplicate(page: Page, cell: CellID): Promise<void> {
  await page.ui.flush([cell]);
  page.ui.place(cell);
  await pasteItems(page, copies(page.client.store, [cell]), "below", cell);
}
