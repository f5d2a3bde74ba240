import { ChevronRight } from "lucide-react";
import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import type { Json } from "../../core/event.js";
import { CopyButton } from "../../ui/CopyButton.js";
import { type JsonRow, previewOf, rowsOf } from "./jsonRows.js";
import styles from "./JsonTree.module.css";

interface Props {
  readonly value: Json;
  readonly label: string;
}

/** A value as a tree with collapsible nodes. */
export function JsonTree({ value, label }: Props) {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(["$"]));
  const [at, setAt] = useState("$");
  const tree = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => rowsOf(value, open), [value, open]);
  const index = Math.max(
    0,
    rows.findIndex((row) => row.key === at),
  );

  const go = (to: number) => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, to))];
    if (!row) return;
    setAt(row.key);
    const element = tree.current?.children[rows.indexOf(row)];
    if (element instanceof HTMLElement) element.focus();
  };
  const turn = (row: JsonRow, to = !open.has(row.key)) => {
    const next = new Set(open);
    if (to && row.branch) next.add(row.key);
    else next.delete(row.key);
    setOpen(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[index];
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const move = moves(row, rows, index, open, go, turn)[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation(); // the notebook's keys do not apply here
    move();
  };

  return (
    <div className={styles.json}>
      <div ref={tree} className={styles.tree} role="tree" aria-label={label} onKeyDown={onKeyDown}>
        {rows.map((row, i) => (
          <Row key={row.key} row={row} open={open.has(row.key)} current={i === index} onFocus={() => setAt(row.key)} onTurn={() => turn(row)} />
        ))}
      </div>
      <p className={styles.path}>
        <code>{rows[index]?.path ?? "$"}</code>
        <CopyButton label="Copy path" text={() => rows[index]?.path ?? "$"} />
      </p>
    </div>
  );
}

type Turn = (row: JsonRow, to?: boolean) => void;

/** The standard keys of a tree. */
function moves(
  row: JsonRow,
  rows: readonly JsonRow[],
  index: number,
  open: ReadonlySet<string>,
  go: (to: number) => void,
  turn: Turn,
): Partial<Record<string, () => void>> {
  const isOpen = open.has(row.key);
  const parent = rows.slice(0, index).findLastIndex((other) => other.depth < row.depth);
  return {
    ArrowDown: () => go(index + 1),
    ArrowUp: () => go(index - 1),
    ArrowRight: () => (row.branch && !isOpen ? turn(row, true) : row.branch && go(index + 1)),
    ArrowLeft: () => (row.branch && isOpen ? turn(row, false) : go(parent)),
    Home: () => go(0),
    End: () => go(rows.length - 1),
    Enter: () => turn(row),
    " ": () => turn(row),
  };
}

interface RowProps {
  readonly row: JsonRow;
  readonly open: boolean;
  readonly current: boolean;
  onFocus(): void;
  onTurn(): void;
}

function Row({ row, open, current, onFocus, onTurn }: RowProps) {
  return (
    <div
      role="treeitem"
      className={styles.row}
      style={{ paddingInlineStart: `${row.depth * 1.25}em` }}
      aria-level={row.depth + 1}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-expanded={row.branch ? open : undefined}
      aria-selected={current}
      tabIndex={current ? 0 : -1}
      onFocus={onFocus}
      onClick={row.branch ? onTurn : undefined}
    >
      <span className={styles.mark}>{row.branch && <ChevronRight size={14} aria-hidden className={open ? styles.down : undefined} />}</span>
      {row.label !== "" && <span className={row.slice ? styles.slice : styles.label}>{row.label}</span>}
      {row.label !== "" && !row.slice && <span className={styles.colon}>: </span>}
      {!row.slice && <span className={styles[kindOf(row.value)]}>{previewOf(row.value)}</span>}
    </div>
  );
}

function kindOf(value: Json): string {
  return value === null ? "null" : typeof value;
}
