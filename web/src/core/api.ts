import { createContext, useContext } from "react";
import { Fields } from "../lib/parse.js";
import { sentence } from "../lib/sentence.js";
import type { Duplicate, Listing, Me, NewNotebook, NotebookList, NotebookTrust, Trust } from "./http.js";
import { keyed } from "./key.js";
import type { Role } from "./protocol.js";
import { roles } from "./roles.js";

/** The query of a list of notebooks. */
export interface ListQuery {
  readonly search?: string;
  readonly sort?: "changed" | "created" | "title";
  readonly order?: "asc" | "desc";
  readonly deleted?: boolean;
  readonly limit?: number;
  readonly after?: string;
}

/** The formats that notebooks are exported in. */
export type ExportFormat = "ipynb" | "py" | "md" | "html";

/** The export formats with their names in menus. */
export const formats: readonly { readonly format: ExportFormat; readonly label: string }[] = [
  { format: "ipynb", label: "Export as Jupyter notebook (.ipynb)" },
  { format: "py", label: "Export as Python script (.py)" },
  { format: "md", label: "Export as Markdown (.md)" },
  { format: "html", label: "Export as web page (.html)" },
];

/** ApiError is a failed request. Its message tells the user the cause and the remedy. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** the HTTP status; 0 if there was no answer */
  readonly status: number;
  /** the code for programs; "unreachable" if there was no answer */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The configuration of an Api. Both fields have working defaults. */
interface Config {
  readonly fetch?: (path: string, init: RequestInit) => Promise<Response>;
  /** Called with the status of each answer, or 0 if there was none. */
  readonly heard?: (status: number) => void;
}

interface Request {
  readonly method?: string;
  readonly json?: unknown;
  readonly file?: Blob;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Api is the server's HTTP API: the list of notebooks, files, runtimes. A promise is rejected with an {@link ApiError}, or with
 * the signal's reason if the signal aborted the request.
 */
export class Api {
  readonly #fetch: (path: string, init: RequestInit) => Promise<Response>;
  readonly #heard: (status: number) => void;

  constructor({ fetch = (path, init) => globalThis.fetch(path, init), heard = () => undefined }: Config = {}) {
    this.#fetch = fetch;
    this.#heard = heard;
  }

  async me(signal?: AbortSignal): Promise<Me> {
    return this.#read("/api/me", { signal }, readMe);
  }

  async list(query: ListQuery = {}, signal?: AbortSignal): Promise<NotebookList> {
    return this.#read(`/api/notebooks${queryOf(query)}`, { signal }, readList);
  }

  async notebook(id: string, signal?: AbortSignal): Promise<Listing> {
    return this.#read(path(id), { signal }, readListing);
  }

  async create(title: string): Promise<Listing> {
    return this.#read("/api/notebooks", { method: "POST", json: { title } satisfies NewNotebook }, readListing);
  }

  async rename(id: string, title: string): Promise<Listing> {
    return this.#read(path(id), { method: "PATCH", json: { title } satisfies NewNotebook }, readListing);
  }

  /** Deletes a notebook. It can be restored. */
  async delete(id: string): Promise<void> {
    await this.#send(path(id), { method: "DELETE" });
  }

  async restore(id: string): Promise<Listing> {
    return this.#read(path(id, "restore"), { method: "POST" }, readListing);
  }

  /** Copies a notebook in its present state. Without a title the server marks the copy in its title. */
  async duplicate(id: string, title?: string): Promise<Listing> {
    const json: Duplicate = title === undefined ? {} : { title };
    return this.#read(path(id, "duplicate"), { method: "POST", json }, readListing);
  }

  /** Creates a notebook from a file. The format is the extension of such files, without the dot. */
  async import(file: Blob, options: { readonly format?: string; readonly title?: string } = {}): Promise<Listing> {
    return this.#read(`/api/notebooks/import${queryOf(options)}`, { method: "POST", file }, readListing);
  }

  /** Returns the address from which a browser saves a notebook as a file. */
  exportURL(id: string, format: ExportFormat): string {
    return path(id, "export") + queryOf({ format });
  }

  /** Starts or restarts the runtime. Resolves when it has started. */
  async restartRuntime(id: string): Promise<void> {
    await this.#send(path(id, "runtime/restart"), { method: "POST" });
  }

  /** Stops the runtime. Resolves when it has stopped. */
  async stopRuntime(id: string): Promise<void> {
    await this.#send(path(id, "runtime"), { method: "DELETE" });
  }

  async trust(id: string, signal?: AbortSignal): Promise<NotebookTrust> {
    return this.#read(path(id, "trust"), { signal }, readTrust);
  }

  /** Sets whether a notebook is trusted. Only its owner may. */
  async setTrust(id: string, trusted: boolean): Promise<NotebookTrust> {
    return this.#read(path(id, "trust"), { method: "PUT", json: { trusted } satisfies Trust }, readTrust);
  }

  async #read<T>(path: string, request: Request, parse: (json: unknown) => T): Promise<T> {
    const response = await this.#send(path, request);
    try {
      return parse(await response.json());
    } catch (cause) {
      if (request.signal?.aborted) throw cause;
      throw new ApiError(response.status, "internal", "The server's answer is not what was expected; reload the page.");
    }
  }

  async #send(path: string, request: Request): Promise<Response> {
    const response = await this.#reach(path, request);
    this.#heard(response.status);
    if (response.ok) return response;
    throw await problemOf(response);
  }

  async #reach(path: string, { method = "GET", json, file, signal }: Request): Promise<Response> {
    const headers = keyed({ Accept: "application/json" });
    const init: RequestInit = { method, credentials: "same-origin", headers };
    if (signal) init.signal = signal;
    if (json !== undefined) {
      init.body = JSON.stringify(json);
      headers.set("Content-Type", "application/json");
    } else if (file) {
      init.body = file;
      headers.set("Content-Type", "application/octet-stream");
    }
    try {
      return await this.#fetch(path, init);
    } catch (cause) {
      if (signal?.aborted) throw cause;
      this.#heard(0);
      throw new ApiError(0, "unreachable", "The server does not answer. Look whether it runs, and try again.");
    }
  }
}

/** Returns the API path of a notebook, or of a part of it. */
function path(id: string, part?: string): string {
  return `/api/notebooks/${encodeURIComponent(id)}${part === undefined ? "" : `/${part}`}`;
}

function queryOf(values: object): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined && value !== "" && value !== false) query.set(key, String(value));
  }
  return query.size === 0 ? "" : `?${query}`;
}

/** Reads the problem in an answer. An answer without one, as from a proxy, is described by its status. */
async function problemOf(response: Response): Promise<ApiError> {
  const { status } = response;
  const said: unknown = await response.json().catch(() => undefined);
  const problem = new Fields(said);
  const code = problem.stringIfAny("code") ?? "internal";
  const detail = problem.stringIfAny("detail");
  return new ApiError(status, code, detail ? sentence(detail) : `The server answered with an error (${status}).`);
}

function readMe(json: unknown): Me {
  const me = new Fields(json);
  const notebook = me.stringIfAny("notebook");
  const expires = me.numberIfAny("expires");
  return {
    actor: me.string("actor"),
    owner: me.boolean("owner"),
    ...(notebook !== undefined && { notebook }),
    ...readRole(me),
    ...(expires !== undefined && { expires }),
  };
}

function readList(json: unknown): NotebookList {
  const list = new Fields(json);
  const next = list.stringIfAny("next");
  return { notebooks: list.list("notebooks").map(readListing), ...(next !== undefined && { next }) };
}

function readListing(json: unknown): Listing {
  const listing = new Fields(json);
  const deleted = listing.numberIfAny("deleted");
  const cells = listing.numberIfAny("cells");
  const brought = listing.stringIfAny("brought");
  return {
    id: listing.string("id"),
    title: listing.string("title"),
    owner: listing.string("owner"),
    created: listing.number("created"),
    updated: listing.number("updated"),
    ...(deleted && { deleted }),
    ...(cells !== undefined && { cells }),
    ...readRole(listing),
    ...(brought !== undefined && { brought }),
  };
}

/** Reads the member role. A role that this build does not know is none. */
function readRole(fields: Fields): { readonly role?: Role } {
  const said = fields.stringIfAny("role");
  const role = roles.find((known) => known === said);
  return role === undefined ? {} : { role };
}

function readTrust(json: unknown): NotebookTrust {
  const trust = new Fields(json);
  return { own: trust.boolean("own"), trusted: trust.boolean("trusted"), sandboxed: trust.boolean("sandboxed") };
}

/** ApiContext holds the server's API. Without a provider it is the API of the page's own server. */
export const ApiContext = createContext(new Api());

/** Returns the server's API. */
export function useApi(): Api {
  return useContext(ApiContext);
}
