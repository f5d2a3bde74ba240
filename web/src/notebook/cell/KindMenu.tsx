import { ChevronDown } from "lucide-react";
import type { CellKind } from "../../core/event.js";
import { useNotebook, useRuntime } from "../../core/hooks.js";
import { languageID, languageTitle } from "../../core/language.js";
import type { CellRow } from "../../core/store.js";
import { Menu, type MenuItem } from "../../ui/Menu.js";
import { changeKind } from "../state/actions.js";
import { attempt } from "../state/attempt.js";
import { kindName } from "../state/label.js";
import { type Page, usePage } from "../state/page.js";
import styles from "./KindMenu.module.css";

const others: readonly CellKind[] = ["markdown", "sql", "ai", "raw"];

/** Shows the kind of a cell, and changes it. */
export function KindMenu({ cell }: { readonly cell: CellRow }) {
  const page = usePage();
  const inherited = useNotebook()?.language ?? "";
  const language = languageID(cell.language || inherited || "python");
  const offered = useRuntime()?.languages ?? ["python"];
  const shown = cell.kind === "code" ? languageTitle(language) : kindName(cell.kind);
  return (
    <Menu
      label="Kind of cell"
      items={itemsOf(page, cell, [...new Set([...offered, language])], language, inherited)}
      trigger={
        <button type="button" className={styles.kind} aria-label={`Kind of cell: ${shown}`}>
          {shown}
          <ChevronDown aria-hidden />
        </button>
      }
    />
  );
}

function itemsOf(page: Page, cell: CellRow, offered: readonly string[], language: string, inherited: string): readonly MenuItem[] {
  return [
    ...offered.map((id): MenuItem => ({
      kind: "item",
      label: languageTitle(id),
      checked: cell.kind === "code" && id === language,
      onSelect: () => void attempt(page, () => speak(page, cell, id === inherited ? "" : id)),
    })),
    { kind: "separator" },
    ...others.map((kind): MenuItem => ({
      kind: "item",
      label: kindName(kind),
      checked: cell.kind === kind,
      onSelect: () => void attempt(page, () => changeKind(page, [cell.id], kind)),
    })),
  ];
}

/** Makes a cell code in a language; "" is the notebook's own. */
export async function speak(page: Page, cell: CellRow, language: string): Promise<void> {
  if (cell.kind !== "code") await changeKind(page, [cell.id], "code");
  if ((cell.language ?? "") !== language) await page.client.command({ kind: "changeLanguage", cells: [cell.id], language });
}
