import type { Json } from "../../core/event.js";
import type { CellRow } from "../../core/store.js";
import { sizeText } from "../../lib/sizeText.js";
import type { Page } from "./page.js";

/** The key of a cell's metadata for the members of a Jupyter file, its attachments among them. */
const key = "ipynb";
/** The largest size of a picture, and of all pictures of a cell, in bytes: they are stored in the notebook itself. */
export const mostBytes = 4_000_000;
export const mostOfCell = 8_000_000;

const types: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"];

/** Returns the pictures attached to a cell, as addresses by name. */
export function picturesOf(metadata: CellRow["metadata"]): ReadonlyMap<string, string> {
  const pictures = new Map<string, string>();
  for (const [name, bundle] of Object.entries(filesOf(metadata))) {
    const type = types.find((one) => textOf(memberOf(bundle, one)) !== undefined);
    if (type !== undefined) pictures.set(name, addressOf(type, textOf(memberOf(bundle, type)) ?? ""));
  }
  return pictures;
}

/** A file has an SVG in base64 or as its source; other pictures in base64. */
function addressOf(type: string, data: string): string {
  if (type === "image/svg+xml" && data.trimStart().startsWith("<")) return `data:${type},${encodeURIComponent(data.toWellFormed())}`;
  return `data:${type};base64,${data.replace(/\s/g, "")}`;
}

/** Returns the number of a cell's attachments. */
export function countOf(metadata: CellRow["metadata"]): number {
  return Object.keys(filesOf(metadata)).length;
}

/** Attaches pictures to a Markdown cell, and shows them at a place of its text. */
export async function attach({ client, ui }: Pick<Page, "client" | "ui">, cell: string, files: readonly File[], at: number): Promise<void> {
  let place = at;
  for (const file of files) {
    const data = await read(file);
    await ui.flush([cell]);
    const metadata = client.store.cell(cell)?.metadata;
    const before = filesOf(metadata);
    const taken = JSON.stringify(before).length;
    if (taken + data.length > (mostOfCell * 4) / 3)
      throw new Error(`the pictures of this cell would have more than ${sizeText(mostOfCell)} together: put ${file.name} into another cell`);
    const name = freeName(file.name, before);
    const kept = memberOf(metadata, key);
    const value: Json = { ...(isObject(kept) ? kept : {}), attachments: { ...before, [name]: { [file.type]: data } } };
    const text = `![${name.replace(/\.\w+$/, "")}](attachment:${name})`;
    await client.command({ kind: "attach", cell, key, value, at: place, text });
    place += text.length;
  }
}

/** Returns a picture in base64. Throws if it cannot be attached. */
async function read(file: File): Promise<string> {
  if (!types.includes(file.type)) throw new Error(`${file.name} is no picture that can be shown in text: PNG, JPEG, GIF, WebP and SVG can`);
  if (file.size > mostBytes)
    throw new Error(`${file.name} has ${sizeText(file.size)}, and a picture in text may have ${sizeText(mostBytes)} at most: make it smaller first`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = "";
  for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(binary);
}

/** Returns a name for a file that is valid in a Markdown link and not yet used in the cell. */
function freeName(wanted: string, taken: Readonly<Record<string, Json>>): string {
  const clean =
    wanted
      .normalize()
      .replace(/[^\p{L}\p{N}._-]+/gu, "-")
      .replace(/^[-.]+/, "")
      .slice(-80) || "picture";
  const dot = clean.lastIndexOf(".");
  const [stem, ending] = dot < 1 ? [clean, ""] : [clean.slice(0, dot), clean.slice(dot)];
  for (let i = 1; ; i++) {
    const name = i === 1 ? clean : `${stem}-${i}${ending}`;
    if (!Object.hasOwn(taken, name)) return name;
  }
}

function filesOf(metadata: CellRow["metadata"]): Readonly<Record<string, Json>> {
  const files = memberOf(memberOf(metadata, key), "attachments");
  return isObject(files) ? files : {};
}

function memberOf(value: unknown, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Files have a text as a whole, or as lines. */
function textOf(value: Json | undefined): string | undefined {
  if (Array.isArray(value)) return value.every((line) => typeof line === "string") ? value.join("") : undefined;
  return typeof value === "string" ? value : undefined;
}
