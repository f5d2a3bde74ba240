import { CaseSensitive, ChevronDown, ChevronUp, Regex, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useRef } from "react";
import { IconButton } from "../../ui/IconButton.js";
import { mostMatches, type Query } from "./search.js";
import styles from "./SearchBar.module.css";
import type { Finding } from "./useSearch.js";

interface Props {
  readonly query: Query;
  readonly finding: Finding;
  /** The index of the current match, from 0. */
  readonly current: number;
  onQuery(query: Query): void;
  onStep(direction: -1 | 1): void;
  onClose(): void;
}

/** Searches the text of one output. */
export function SearchBar({ query, finding, current, onQuery, onStep, onClose }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const said = useId();
  useEffect(() => input.current?.focus({ preventScroll: true }), []);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    event.stopPropagation(); // the notebook's keys do not apply here
    if (event.key === "Escape") leave(event.currentTarget, onClose);
    else if (event.key === "Enter" && event.target === input.current) onStep(event.shiftKey ? -1 : 1);
  };
  const none = finding.matches.length === 0;
  return (
    <div className={styles.bar} role="search" aria-label="Find in output" onKeyDown={onKeyDown}>
      <input
        ref={input}
        className={styles.input}
        type="text"
        aria-label="Find"
        placeholder="Find"
        spellCheck={false}
        autoComplete="off"
        value={query.text}
        aria-invalid={finding.error !== undefined || undefined}
        aria-describedby={said}
        onChange={(event) => onQuery({ ...query, text: event.target.value })}
      />
      <IconButton
        label="Match case"
        icon={<CaseSensitive />}
        pressed={query.caseSensitive}
        onClick={() => onQuery({ ...query, caseSensitive: !query.caseSensitive })}
      />
      <IconButton label="Regular expression" icon={<Regex />} pressed={query.regexp} onClick={() => onQuery({ ...query, regexp: !query.regexp })} />
      <span id={said} className={finding.error === undefined ? styles.said : styles.wrong} role="status">
        {finding.error ?? counted(query, finding, current)}
      </span>
      <IconButton label="Previous match" shortcut="Shift+Enter" icon={<ChevronUp />} disabled={none} onClick={() => onStep(-1)} />
      <IconButton label="Next match" shortcut="Enter" icon={<ChevronDown />} disabled={none} onClick={() => onStep(1)} />
      <IconButton label="Close" shortcut="Esc" icon={<X />} onClick={(event) => leave(event.currentTarget, onClose)} />
    </div>
  );
}

/** Closes the bar, and focuses the element around it. */
function leave(from: Element, onClose: () => void): void {
  const around = from.closest("[data-group='cell'], [role='dialog']");
  onClose();
  if (around instanceof HTMLElement) around.focus({ preventScroll: true });
}

function counted({ text }: Query, { matches, done }: Finding, current: number): string {
  if (text === "") return "";
  if (matches.length === 0) return done ? "No matches in this output" : "Searching…";
  const more = matches.length >= mostMatches ? "+" : done ? "" : "…";
  return `${(current + 1).toLocaleString()} of ${matches.length.toLocaleString()}${more}`;
}
