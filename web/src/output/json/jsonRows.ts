import type { Json } from "../../core/event.js";

const most = 100; // children that are shown before they are grouped into slices

/** JsonRow is a line of a tree: a value, or a slice of the members of a large one. */
export interface JsonRow {
  /** The unique key of the row. */
  readonly key: string;
  /** The path to the value, as an expression. */
  readonly path: string;
  readonly label: string;
  readonly depth: number;
  readonly value: Json;
  /** The range of a slice; undefined for a value. */
  readonly slice?: readonly [start: number, end: number];
  readonly branch: boolean;
  readonly position: number;
  readonly siblings: number;
}

/** Returns the rows of a tree: the root, and the children of open rows. */
export function rowsOf(root: Json, open: ReadonlySet<string>): readonly JsonRow[] {
  const rows: JsonRow[] = [];
  const add = (row: JsonRow) => {
    rows.push(row);
    if (row.branch && open.has(row.key)) childrenOf(row).forEach(add);
  };
  add({ key: "$", path: "$", label: "", depth: 0, value: root, branch: isBranch(root), position: 1, siblings: 1 });
  return rows;
}

function childrenOf(row: JsonRow): readonly JsonRow[] {
  const names = Array.isArray(row.value) ? undefined : Object.keys(row.value ?? {});
  const [start, end] = row.slice ?? [0, sizeOf(row.value)];
  const step = stepOf(end - start);
  if (step > 1) return slicesOf(row, start, end, step);
  return Array.from({ length: end - start }, (_, i) => {
    const name = names?.[start + i];
    const value = memberOf(row.value, name ?? start + i);
    const part = partOf(name ?? start + i);
    return {
      key: row.path + part,
      path: row.path + part,
      label: name ?? String(start + i),
      depth: row.depth + 1,
      value,
      branch: isBranch(value),
      position: i + 1,
      siblings: end - start,
    };
  });
}

function slicesOf(row: JsonRow, start: number, end: number, step: number): readonly JsonRow[] {
  const count = Math.ceil((end - start) / step);
  return Array.from({ length: count }, (_, i) => {
    const slice: readonly [number, number] = [start + i * step, Math.min(end, start + (i + 1) * step)];
    const label = `${slice[0].toLocaleString()} … ${(slice[1] - 1).toLocaleString()}`;
    return {
      key: `${row.path}#${slice.join("-")}`,
      path: row.path,
      label,
      depth: row.depth + 1,
      value: row.value,
      slice,
      branch: true,
      position: i + 1,
      siblings: count,
    };
  });
}

/** Returns the number of members of a child: 1, or 100, 10,000 … where there would be too many children. */
function stepOf(count: number): number {
  let step = 1;
  while (count / step > most) step *= most;
  return step;
}

function memberOf(value: Json, name: string | number): Json {
  if (typeof value !== "object" || value === null) return null;
  return Reflect.get(value, name);
}

function partOf(name: string | number): string {
  if (typeof name === "number") return `[${name}]`;
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

function isBranch(value: Json): boolean {
  return sizeOf(value) > 0;
}

/** Returns the number of members. */
export function sizeOf(value: Json): number {
  if (typeof value !== "object" || value === null) return 0;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

/** Returns the preview of a value: a simple one as a whole, else its size. */
export function previewOf(value: Json): string {
  if (typeof value === "string") return JSON.stringify(value.length > 2000 ? `${value.slice(0, 2000)}…` : value);
  if (typeof value !== "object" || value === null) return String(value);
  const size = sizeOf(value).toLocaleString();
  return Array.isArray(value) ? (size === "0" ? "[]" : `[${size}]`) : size === "0" ? "{}" : `{${size}}`;
}
