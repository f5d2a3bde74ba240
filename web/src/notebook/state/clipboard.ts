import type { CellID } from "../../core/event.js";
import type { Store } from "../../core/store.js";
import type { Copied } from "../../core/view.js";

/** The type of cells on the system's clipboard; browsers prefix unknown types with "web ". */
export const mime = "application/x-quire-cells+json";

/** Returns copies of cells, as complete as the store has them. */
export function copies(store: Store, cells: readonly CellID[]): readonly Copied[] {
  return cells.flatMap((id) => copyOf(store, id) ?? []);
}

function copyOf(store: Store, id: CellID): Copied | undefined {
  const cell = store.cell(id);
  if (!cell) return undefined;
  const outputs = (cell.outputs ?? []).flatMap((output) => {
    const row = store.output(output);
    return row ? [row.log ? { ...row.value, text: row.log.text() } : row.value] : [];
  });
  return {
    cellKind: cell.kind,
    source: store.text(id)?.source ?? "",
    ...(cell.language === undefined ? {} : { language: cell.language }),
    ...(cell.metadata === undefined ? {} : { metadata: cell.metadata }),
    ...(outputs.length === 0 ? {} : { outputs }),
    ...(cell.count === undefined ? {} : { count: cell.count }),
  };
}

/** Returns the sources alone, for other programs. */
export function plain(items: readonly Copied[]): string {
  return items.map((item) => item.source ?? "").join("\n\n");
}

/** Parses cells from a clipboard's text; undefined if it has none. */
export function parse(text: string): readonly Copied[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.length > 0 && value.every(isCopied) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isCopied(value: unknown): value is Copied {
  return (
    isRecord(value) &&
    isKind(value["cellKind"]) &&
    isOptional(value["source"], isString) &&
    isOptional(value["language"], isString) &&
    isOptional(value["metadata"], isRecord) &&
    isOptional(value["count"], isNumber) &&
    isOptional(value["outputs"], isOutputs)
  );
}

const kinds: readonly unknown[] = ["code", "markdown", "sql", "ai", "raw"];
const isKind = (value: unknown): boolean => kinds.includes(value);
const isString = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): boolean => typeof value === "number";
const isOutputs = (value: unknown): boolean => Array.isArray(value) && value.every((output) => isRecord(output) && typeof output["kind"] === "string");
const isOptional = (value: unknown, is: (value: unknown) => boolean): boolean => value === undefined || is(value);

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Clipboard holds the cells that were cut or copied last. It writes them to the system's clipboard where the browser permits,
 * and never asks for permission to read that.
 */
export class Clipboard {
  #items: readonly Copied[] = [];

  /** Stores copies, and writes them to the system's clipboard. */
  async put(items: readonly Copied[]): Promise<void> {
    this.#items = items;
    try {
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": plain(items), [`web ${mime}`]: new Blob([JSON.stringify(items)], { type: mime }) })]);
    } catch {
      // Without permission the cells can still be pasted on this page.
    }
  }

  /** Stores copies, and adds them to the browser's copy event. */
  give(items: readonly Copied[], data: Pick<DataTransfer, "setData">): void {
    this.#items = items;
    data.setData("text/plain", plain(items));
    data.setData(mime, JSON.stringify(items));
  }

  /** Returns the cells that were cut or copied last, on any page whose clipboard the browser lets us read. */
  async get(): Promise<readonly Copied[]> {
    return (await fromSystem()) ?? this.#items;
  }

  /** Returns the cells of the browser's paste event. Plain text becomes a cell of the given kind. */
  from(data: Pick<DataTransfer, "getData">, cellKind: Copied["cellKind"]): readonly Copied[] {
    const cells = parse(data.getData(mime));
    if (cells) return cells;
    const text = data.getData("text/plain");
    if (text === "") return [];
    return text === plain(this.#items) ? this.#items : [{ cellKind, source: text.replaceAll("\r\n", "\n") }];
  }
}

async function fromSystem(): Promise<readonly Copied[] | undefined> {
  try {
    const permissions: { query(of: { readonly name: string }): Promise<PermissionStatus> } = navigator.permissions; // not all standards have the name
    const { state } = await permissions.query({ name: "clipboard-read" });
    if (state !== "granted") return undefined;
    for (const item of await navigator.clipboard.read()) {
      if (!item.types.includes(`web ${mime}`)) continue;
      return parse(await (await item.getType(`web ${mime}`)).text());
    }
  } catch {
    // The browser does not offer it.
  }
  return undefined;
}
