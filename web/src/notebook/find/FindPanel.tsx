import { CaseSensitive, ChevronDown, ChevronUp, Regex, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useState } from "react";
import { useText } from "../../core/hooks.js";
import { counted } from "../../lib/counted.js";
import { Button } from "../../ui/Button.js";
import { IconButton } from "../../ui/IconButton.js";
import { TextField } from "../../ui/TextField.js";
import { attempt } from "../state/attempt.js";
import { type Page, usePage } from "../state/page.js";
import { useMay } from "../state/role.js";
import { editSource, replacing } from "../state/source.js";
import { type Found, marks, type Match, most, pieces, type Query, replacement } from "./find.js";
import styles from "./FindPanel.module.css";
import { lineOf, sourcesOf, useNotebookFind, useMatch } from "./useNotebookFind.js";

/** Finds and replaces in the sources of all cells. */
export function FindPanel() {
  const page = usePage();
  const mayEdit = useMay("edit");
  const [query, setQuery] = useState<Query>({ text: "", caseful: false, regexp: false });
  const [by, setBy] = useState("");
  const found = useNotebookFind(query);
  const { at, go, pass } = useMatch(found);
  const match = found.matches[at];
  useMarks(page.ui, found, match);
  const { replaced, count } = useReplaced(query);
  const close = (): void => {
    page.ui.set({ panel: undefined });
    const { active } = page.ui.state;
    if (active !== undefined) page.ui.go(active);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  const onEnter = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    go(event.shiftKey ? -1 : 1);
  };
  const one = (): void =>
    void attempt(page, async () => {
      if (!match) return;
      const length = await replaceOne(page, match, query, by);
      if (length === undefined) return;
      pass(match.cell, match.from + length);
      count(1);
    });
  const every = (): void => void attempt(page, async () => count(await replaceEvery(page, query, by)));
  return (
    <div className={styles.panel} role="search" aria-label="Find in all cells" onKeyDown={onKeyDown}>
      <div className={styles.row}>
        <TextField
          className={styles.field}
          label="Find"
          labelHidden
          placeholder="Find in all cells"
          autoFocus
          value={query.text}
          error={found.error}
          onChange={(event) => setQuery({ ...query, text: event.target.value })}
          onKeyDown={onEnter}
        />
        <IconButton label="Match case" icon={<CaseSensitive />} pressed={query.caseful} onClick={() => setQuery({ ...query, caseful: !query.caseful })} />
        <IconButton label="Regular expression" icon={<Regex />} pressed={query.regexp} onClick={() => setQuery({ ...query, regexp: !query.regexp })} />
        <IconButton label="Previous match" shortcut="Shift+Enter" icon={<ChevronUp />} disabled={!match} onClick={() => go(-1)} />
        <IconButton label="Next match" shortcut="Enter" icon={<ChevronDown />} disabled={!match} onClick={() => go(1)} />
        <IconButton label="Close" shortcut="Esc" icon={<X />} onClick={close} />
      </div>
      {mayEdit && (
        <div className={styles.row}>
          <TextField
            className={styles.field}
            label="Replace with"
            labelHidden
            placeholder="Replace with"
            value={by}
            onChange={(event) => setBy(event.target.value)}
          />
          <Button disabled={!match} onClick={one}>
            Replace
          </Button>
          <Button disabled={!match} onClick={every}>
            All
          </Button>
        </div>
      )}
      <p className={styles.count} role="status">
        {countText(query, found, at, replaced)}
      </p>
      {match && <Preview match={match} />}
    </div>
  );
}

/** Marks the matches in the editors. */
function useMarks(ui: Page["ui"], found: Found, match: Match | undefined): void {
  useEffect(() => ui.set({ found: marks(found.matches, match) }), [ui, found, match]);
  useEffect(() => () => ui.set({ found: undefined }), [ui]);
}

/** Counts the replacements of a query, until the query changes. */
function useReplaced(query: Query): { readonly replaced: number; readonly count: (more: number) => void } {
  const [done, setDone] = useState({ query, count: 0 });
  const replaced = done.query === query ? done.count : 0;
  const count = (more: number): void => setDone((old) => ({ query, count: (old.query === query ? old.count : 0) + more }));
  return { replaced, count };
}

function countText({ text }: Query, { matches, more, error }: Found, at: number, replaced: number): string {
  if (text === "" || error !== undefined) return "";
  if (matches.length === 0) return replaced > 0 ? `Replaced ${replaced.toLocaleString("en")}` : "Nothing found";
  return `${at + 1} of ${more ? `more than ${most.toLocaleString("en")}` : matches.length.toLocaleString("en")}`;
}

/** The line of the current match, which leads to it. */
function Preview({ match }: { readonly match: Match }) {
  const { ui, client } = usePage();
  const source = useText(match.cell)?.source ?? "";
  const place = (client.store.notebook()?.cells.indexOf(match.cell) ?? 0) + 1;
  const { line, before, match: text, after } = lineOf(source, match);
  const edit = (): void => {
    if (client.store.cell(match.cell)?.kind === "markdown") ui.write([match.cell], true);
    ui.go(match.cell, "edit", { line });
  };
  return (
    <button type="button" className={styles.preview} onClick={edit} title="Edit there">
      <span>
        Cell {place}, line {line}
      </span>
      <code>
        {before}
        <mark>{text}</mark>
        {after}
      </code>
    </button>
  );
}

/** Replaces a match, and returns the length of the replacement; undefined if the match was gone. */
async function replaceOne({ client, ui }: Page, match: Match, query: Query, by: string): Promise<number | undefined> {
  let length: number | undefined;
  await ui.flush([match.cell]);
  await editSource(client, match.cell, "find", (source) => {
    const text = replacement(source, match, query, by);
    length = text?.length;
    return text === undefined ? undefined : replacing(match.from, match.to, text);
  });
  return length;
}

/** Replaces all matches in one undo step, and returns their number. */
async function replaceEvery({ client, ui, note }: Page, query: Query, by: string): Promise<number> {
  await ui.flush();
  const all = pieces(sourcesOf(client.store, client.store.notebook()?.cells ?? []), query, by);
  if (all.length === 0) {
    note({ text: "There is nothing left to replace." });
    return 0;
  }
  const { cells = [], skipped = 0 } = await client.command({ kind: "replaceText", pieces: all });
  const left = skipped === 0 ? "" : ` ${counted(skipped, "place")} had just been changed by others.`;
  note({ text: `${counted(all.length - skipped, "place")} changed in ${counted(cells.length, "cell")}.${left}` });
  return all.length - skipped;
}
