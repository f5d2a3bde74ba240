import { type Ref, useCallback } from "react";
import type { CellID } from "../../core/event.js";
import { useNotebook } from "../../core/hooks.js";
import type { CellRow } from "../../core/store.js";
import { Editor, type EditorHandle } from "../../editor/Editor.js";
import type { Landing } from "../../editor/landing.js";
import { attach } from "../state/attachments.js";
import { attempt } from "../state/attempt.js";
import { escapeGhost, withGhost } from "../state/ghost.js";
import { kindName } from "../state/label.js";
import { type Page, usePage, useUI } from "../state/page.js";
import { useMay } from "../state/role.js";
import styles from "./Source.module.css";

interface Props {
  readonly cell: CellRow;
  readonly place: number | undefined;
  readonly handle: Ref<EditorHandle>;
}

/** The editable source of a cell. */
export function Source({ cell: { id, kind, language }, place, handle }: Props) {
  const page = usePage();
  const { ui } = page;
  const inherited = useNotebook()?.language ?? "";
  const readOnly = !useMay("edit");
  const marks = useUI((state) => state.found?.get(id));
  const numbers = useUI((state) => state.folds.get(id)?.numbers ?? state.numbers);
  const onFocus = useCallback(() => ui.entered(id, "edit"), [ui, id]);
  const onEscape = useCallback(() => {
    const { ghost } = ui.state;
    if (ghost?.cell === id) escapeGhost(page, ghost);
    else ui.go(id);
  }, [page, ui, id]);
  const onOthers = useCallback((change: () => void) => (page.hold.current ? page.hold.current.around(change) : change()), [page]);
  const onFollow = useCallback((from: string) => follows(page, from), [page]);
  const onCarry = useCallback((from: string, landing: Landing) => carry(page, from, landing), [page]);
  const onLeave = useCallback((direction: -1 | 1) => leave(page, id, direction), [page, id]);
  const onUnsaved = useCallback((unsaved: boolean) => ui.unsaved(id, unsaved), [ui, id]);
  const onFiles = useCallback(
    (files: readonly File[], at: number) => {
      if (kind !== "markdown") return false;
      void attempt(page, () => attach(page, id, files, at));
      return true;
    },
    [page, id, kind],
  );
  return (
    <div className={styles.source} data-editor data-kind={kind}>
      <Editor
        cell={id}
        kind={kind}
        language={languageOf(kind, language || inherited)}
        label={place === undefined ? `${kindName(kind)} of the deleted cell` : `${kindName(kind)} of cell ${place}`}
        readOnly={readOnly}
        lineNumbers={numbers}
        keymap={page.editorKeymap}
        onFocus={onFocus}
        onEscape={onEscape}
        onLeave={onLeave}
        onFiles={onFiles}
        onOthers={onOthers}
        onFollow={onFollow}
        onCarry={onCarry}
        onUnsaved={onUnsaved}
        marks={marks}
        handle={handle}
      />
    </div>
  );
}

function languageOf(kind: CellRow["kind"], language: string): string {
  if (kind === "code") return language;
  return kind === "sql" ? "sql" : kind === "raw" ? "" : "markdown";
}

/** Moves to the cell above or below: into its text if that is shown. */
function leave({ ui, client }: Page, from: string, direction: -1 | 1): void {
  const cells = withGhost(client.store.notebook()?.cells ?? [], ui.state.ghost);
  const to = cells[cells.indexOf(from) + direction];
  const cell = to === undefined ? undefined : client.store.cell(to);
  if (to === undefined || !cell) return;
  const folded = ui.state.folds.get(to)?.source ?? cell.hideSource ?? false;
  const text = !folded && (cell.kind !== "markdown" || ui.state.written.has(to));
  ui.go(to, text ? "edit" : "command", direction > 0 ? "start" : "end");
}

/** Whether the caret in a cell follows its text when others move it. After a command of the user the caret goes where the command leads. */
function follows({ ui }: Page, cell: CellID): boolean {
  return ui.state.mode === "edit" && ui.state.active === cell && !ui.orders;
}

/** Moves the caret to the cell to which its text was moved. */
function carry({ client, ui, hold }: Page, from: CellID, landing: Landing): void {
  if (client.store.cell(landing.cell)?.kind === "markdown") ui.write([landing.cell], true);
  if (ui.state.ghost?.cell === from) ui.set({ ghost: undefined });
  hold.current?.carry();
  ui.carry(landing.cell, landing, from);
}
