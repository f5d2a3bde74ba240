import { X } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useClient, useNotebook, useRuntime } from "../../core/hooks.js";
import { languageTitle } from "../../core/language.js";
import { counted } from "../../lib/counted.js";
import { IconButton } from "../../ui/IconButton.js";
import { TextField } from "../../ui/TextField.js";
import { languagesOf } from "../state/languages.js";
import { usePage } from "../state/page.js";
import { useVariables } from "./useVariables.js";
import { VariableList } from "./VariableList.js";
import { filtered } from "./variables.js";
import styles from "./VariablesPanel.module.css";

/** The program's variables, beside the cells; on a phone over them. */
export function VariablesPanel() {
  const { ui } = usePage();
  const { store } = useClient();
  const panel = useRef<HTMLElement>(null);
  useNotebook(); // subscribes to the list of cells
  const languages = languagesOf(store);
  const [chosen, setChosen] = useState<string>();
  const language = chosen !== undefined && languages.includes(chosen) ? chosen : (languages[0] ?? "python");
  const [filter, setFilter] = useState("");
  const { variables, busy, reason } = useVariables(language);
  const shown = variables && filtered(variables, filter);
  useEffect(() => panel.current?.querySelector("input")?.focus(), []);
  const close = (): void => {
    ui.set({ side: undefined });
    const { active } = ui.state;
    if (active !== undefined) ui.go(active);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  return (
    <aside ref={panel} className={styles.panel} aria-label="Variables" aria-busy={busy || undefined} onKeyDown={onKeyDown}>
      <header className={styles.header}>
        <h2 className={styles.title}>Variables</h2>
        {languages.length > 1 && (
          <select className={styles.language} aria-label="Language" value={language} onChange={(event) => setChosen(event.target.value)}>
            {languages.map((id) => (
              <option key={id} value={id}>
                {languageTitle(id)}
              </option>
            ))}
          </select>
        )}
        <IconButton label="Close" shortcut="Esc" icon={<X />} onClick={close} />
      </header>
      <TextField label="Filter" labelHidden placeholder="Filter by name or type" value={filter} onChange={(event) => setFilter(event.target.value)} />
      {shown && shown.length > 0 ? (
        <VariableList variables={shown} busy={busy} />
      ) : (
        <Nothing language={language} reason={reason} some={(variables?.length ?? 0) > 0} told={variables !== undefined} busy={busy} />
      )}
      <p className={styles.count} role="status">
        {shown && shown.length > 0 ? countText(shown.length, variables?.length ?? 0, busy) : ""}
      </p>
    </aside>
  );
}

function countText(shown: number, all: number, busy: boolean): string {
  const count = shown === all ? counted(all, "variable") : `${shown.toLocaleString("en")} of ${counted(all, "variable")}`;
  return busy ? `${count}, as before the run that goes on` : count;
}

/** The reason of an empty list, and a way to fill it. */
function Nothing({
  language,
  reason,
  some,
  told,
  busy,
}: {
  readonly language: string;
  readonly reason: string | undefined;
  readonly some: boolean;
  readonly told: boolean;
  readonly busy: boolean;
}) {
  const ready = useRuntime()?.state === "ready";
  const text = !ready
    ? "Nothing runs yet. Run a cell, and what it defines is listed here."
    : some
      ? "No variable has that in its name or type."
      : told
        ? `${languageTitle(language)} has no variables yet.`
        : (reason ?? (busy ? "A cell runs. The variables are listed when it ends." : "Asking the runtime…"));
  return <p className={styles.nothing}>{text}</p>;
}
