import type { Api } from "../core/api.js";
import type { Listing } from "../core/http.js";
import { messageOf } from "./notebookList.js";

/** The progress of an import. */
export type ImportState =
  | { readonly kind: "waiting" }
  | { readonly kind: "sending" }
  | { readonly kind: "done"; readonly notebook: Listing }
  | { readonly kind: "failed"; readonly message: string };

/** ImportRow is an imported file and its progress. */
export interface ImportRow {
  readonly key: number;
  readonly name: string;
  readonly state: ImportState;
}

/** The file extensions of imports, for the browser's file dialog. The server decides. */
export const endings = ".ipynb,.py,.md,.r,.jl,.rb,.pl,.sh,.js,.mjs,.ts,.lua,.sql,.scm,.ss";

const untitled = "Untitled"; // the server's title of a notebook whose file has none

/** Imports sends files to the server one after the other, and tracks their progress. */
export class Imports {
  readonly #api: Api;
  readonly #done: () => void;
  readonly #listeners = new Set<() => void>();
  #rows: readonly ImportRow[] = [];
  #count = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** Done is called after each created notebook. */
  constructor(api: Api, done: () => void) {
    this.#api = api;
    this.#done = done;
  }

  /** Subscribes f to changes. Returns the unsubscribe function. */
  readonly listen = (f: () => void): (() => void) => {
    this.#listeners.add(f);
    return () => void this.#listeners.delete(f);
  };

  readonly rows = (): readonly ImportRow[] => this.#rows;

  /** Imports files. Resolves with the notebooks created. */
  async add(files: readonly File[]): Promise<readonly Listing[]> {
    const made = await Promise.all(files.map((file) => this.#queue(file)));
    return made.filter((notebook) => notebook !== undefined);
  }

  /** Drops the files that are done or failed. */
  readonly clear = (): void => {
    this.#put(this.#rows.filter(({ state }) => state.kind === "waiting" || state.kind === "sending"));
  };

  #queue(file: File): Promise<Listing | undefined> {
    const key = ++this.#count;
    this.#put([...this.#rows, { key, name: file.name, state: { kind: "waiting" } }]);
    const sent = this.#last.then(() => this.#send(key, file));
    this.#last = sent;
    return sent;
  }

  async #send(key: number, file: File): Promise<Listing | undefined> {
    this.#set(key, { kind: "sending" });
    try {
      const notebook = await this.#import(file);
      this.#set(key, { kind: "done", notebook });
      this.#done();
      return notebook;
    } catch (error) {
      this.#set(key, { kind: "failed", message: messageOf(error) });
      return undefined;
    }
  }

  /** A notebook whose file has no title is named after the file. */
  async #import(file: File): Promise<Listing> {
    const { stem, ending } = nameParts(file.name);
    const content = await read(file);
    const notebook = await this.#api.import(content, ending === "" ? {} : { format: ending });
    if (notebook.title !== untitled || stem === "") return notebook;
    return this.#api.rename(notebook.id, stem).catch(() => notebook); // the notebook exists, only its title does not
  }

  #set(key: number, state: ImportState): void {
    this.#put(this.#rows.map((row) => (row.key === key ? { ...row, state } : row)));
  }

  #put(rows: readonly ImportRow[]): void {
    this.#rows = rows;
    for (const f of this.#listeners) f();
  }
}

/** Splits a file name into its stem and its extension without the dot. */
export function nameParts(name: string): { readonly stem: string; readonly ending: string } {
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? { stem: name, ending: "" } : { stem: name.slice(0, dot), ending: name.slice(dot + 1).toLowerCase() };
}

/** Reads a file before it is sent, so an unreadable file is not reported as an unreachable server. */
async function read(file: File): Promise<Blob> {
  try {
    return new Blob([await file.arrayBuffer()]);
  } catch {
    throw new Error("This cannot be read. If it is a folder, drop the files in it.");
  }
}
