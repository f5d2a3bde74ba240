import type { Api, Listing } from "../core/api.js";
import { messageOf } from "./notebookList.js";

/** How far a file is. */
export type ImportState =
  | { readonly kind: "waiting" }
  | { readonly kind: "sending" }
  | { readonly kind: "done"; readonly notebook: Listing }
  | { readonly kind: "failed"; readonly message: string };

/** ImportRow is a file that becomes a notebook, or does not. */
export interface ImportRow {
  readonly key: number;
  readonly name: string;
  readonly state: ImportState;
}

/** The endings of files that can be imported, for the browser's own dialog. The server decides. */
export const endings = ".ipynb,.py,.md,.r,.jl,.rb,.pl,.sh,.js,.mjs,.ts,.lua,.sql,.scm,.ss";

const untitled = "Untitled"; // what the server calls a notebook whose file has no title

/** Imports sends files to the server, one after the other, and says how far each is. */
export class Imports {
  readonly #api: Api;
  readonly #done: () => void;
  readonly #listeners = new Set<() => void>();
  #rows: readonly ImportRow[] = [];
  #count = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** Done is called after each notebook that there is more. */
  constructor(api: Api, done: () => void) {
    this.#api = api;
    this.#done = done;
  }

  /** Calls f after each change, until the function that is returned is called. */
  readonly listen = (f: () => void): (() => void) => {
    this.#listeners.add(f);
    return () => void this.#listeners.delete(f);
  };

  readonly rows = (): readonly ImportRow[] => this.#rows;

  /** Imports files. Resolves with the notebooks that came of them. */
  async add(files: readonly File[]): Promise<readonly Listing[]> {
    const made = await Promise.all(files.map((file) => this.#queue(file)));
    return made.filter((notebook) => notebook !== undefined);
  }

  /** Forgets the files that are done or failed. */
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

  /** A notebook whose file has no title is called what the file is. */
  async #import(file: File): Promise<Listing> {
    const { stem, ending } = nameParts(file.name);
    const content = await read(file);
    const notebook = await this.#api.import(content, ending === "" ? {} : { format: ending });
    if (notebook.title !== untitled || stem === "") return notebook;
    return this.#api.rename(notebook.id, stem).catch(() => notebook); // it is there, only its name is not
  }

  #set(key: number, state: ImportState): void {
    this.#put(this.#rows.map((row) => (row.key === key ? { ...row, state } : row)));
  }

  #put(rows: readonly ImportRow[]): void {
    this.#rows = rows;
    for (const f of this.#listeners) f();
  }
}

/** Returns the name of a file without its ending, and that without its dot. */
export function nameParts(name: string): { readonly stem: string; readonly ending: string } {
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? { stem: name, ending: "" } : { stem: name.slice(0, dot), ending: name.slice(dot + 1).toLowerCase() };
}

/** Reads a file before it is sent, so that one that cannot be read is not taken for a server that does not answer. */
async function read(file: File): Promise<Blob> {
  try {
    return new Blob([await file.arrayBuffer()]);
  } catch {
    throw new Error("This cannot be read. If it is a folder, drop the files in it.");
  }
}
