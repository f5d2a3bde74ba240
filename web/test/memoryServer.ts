import type { Listing } from "../src/core/http.js";

interface Problem {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
}

/** Refuses requests, given as method and path. */
type Refusal = (request: string) => Problem | "unreachable" | undefined;

/** MemoryServer is a small server of notebooks: its fetch answers like the real one, as far as the dashboard needs it. */
export class MemoryServer {
  /** The number of notebooks on a page. */
  pageSize = 100;
  /** Returns the problem of a request to refuse. */
  refuse: Refusal = () => undefined;
  /** Every answer waits for this. */
  gate: Promise<unknown> = Promise.resolve();
  /** The requests, such as "GET /api/me". */
  readonly requests: string[] = [];
  readonly #notebooks = new Map<string, Listing>();
  #count = 0;

  /** Adds a notebook. Each is changed a minute after the one before. */
  add(title: string, more: Partial<Listing> = {}): Listing {
    const n = ++this.#count;
    const time = Date.UTC(2026, 0, 1) + n * 60_000;
    const notebook: Listing = { id: `n${n}`, title, owner: "owner", created: time, updated: time, role: "owner", ...more };
    this.#notebooks.set(notebook.id, notebook);
    return notebook;
  }

  /** Returns the titles of the notebooks that are not deleted. */
  titles(): readonly string[] {
    return [...this.#notebooks.values()].filter(({ deleted }) => deleted === undefined).map(({ title }) => title);
  }

  readonly fetch = async (path: string, init: RequestInit): Promise<Response> => {
    const request = `${init.method ?? "GET"} ${path}`;
    this.requests.push(request);
    await this.gate;
    init.signal?.throwIfAborted();
    const refusal = this.refuse(request);
    if (refusal === "unreachable") throw new TypeError("fetch failed");
    if (refusal) return problem(refusal);
    return this.#answer(new URL(path, "http://test"), init);
  };

  async #answer(url: URL, init: RequestInit): Promise<Response> {
    const method = init.method ?? "GET";
    if (url.pathname === "/api/me") return json(200, { actor: "person:owner", owner: true });
    if (url.pathname === "/api/notebooks") return method === "POST" ? json(201, this.add(titleOf(init))) : this.#list(url.searchParams);
    if (url.pathname === "/api/notebooks/import") return this.#import(url.searchParams, init);
    const [, id = "", part = ""] = /^\/api\/notebooks\/([^/]+)(?:\/(.+))?$/.exec(url.pathname) ?? [];
    const notebook = this.#notebooks.get(id);
    if (!notebook) return problem({ status: 404, code: "not-found", detail: "there is no such notebook, or you may not see it" });
    return this.#change(notebook, `${method} ${part}`, init);
  }

  #change(notebook: Listing, request: string, init: RequestInit): Response {
    switch (request) {
      case "GET ":
        return json(200, notebook);
      case "PATCH ":
        return this.#put({ ...notebook, title: titleOf(init) });
      case "DELETE ":
        this.#put({ ...notebook, deleted: notebook.updated });
        return new Response(null, { status: 204 });
      case "POST restore": {
        const { deleted: _, ...restored } = notebook;
        return this.#put(restored);
      }
      case "POST duplicate":
        return json(201, this.add(`${notebook.title} copy`));
      default:
        return problem({ status: 405, code: "invalid", detail: "this path takes other methods" });
    }
  }

  #put(notebook: Listing): Response {
    this.#notebooks.set(notebook.id, notebook);
    return json(200, notebook);
  }

  #list(query: URLSearchParams): Response {
    const words = (query.get("search") ?? "").toLowerCase().split(/\s+/);
    const found = [...this.#notebooks.values()]
      .filter(({ deleted }) => (deleted !== undefined) === (query.get("deleted") === "true"))
      .filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)))
      .sort((a, b) => compare(query.get("sort") ?? "changed", a, b));
    if (query.get("order") === "desc") found.reverse();
    const from = Number(query.get("after") ?? 0);
    const to = from + this.pageSize;
    return json(200, { notebooks: found.slice(from, to), ...(to < found.length && { next: String(to) }) });
  }

  async #import(query: URLSearchParams, init: RequestInit): Promise<Response> {
    const text = init.body instanceof Blob ? await init.body.text() : "";
    const detail = "the file is not a Jupyter notebook that can be read: it ends too early";
    if (text.includes("damaged")) return problem({ status: 422, code: "invalid", detail });
    const [, own] = /^# title: (.+)$/m.exec(text) ?? [];
    return json(201, this.add(query.get("title") ?? own ?? "Untitled"));
  }
}

function compare(sort: string, a: Listing, b: Listing): number {
  if (sort === "title") return a.title.toLowerCase() < b.title.toLowerCase() ? -1 : 1;
  return sort === "created" ? a.created - b.created : a.updated - b.updated;
}

function titleOf(init: RequestInit): string {
  const body: unknown = typeof init.body === "string" ? JSON.parse(init.body) : {};
  return typeof body === "object" && body !== null && "title" in body && typeof body.title === "string" ? body.title : "";
}

function json(status: number, value: object): Response {
  return new Response(JSON.stringify(value), { status, headers: { "Content-Type": "application/json" } });
}

function problem({ status, code, detail }: Problem): Response {
  return new Response(JSON.stringify({ type: "about:blank", title: "", status, code, detail }), {
    status,
    headers: { "Content-Type": "application/problem+json" },
  });
}
