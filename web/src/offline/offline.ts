/** Rules are the files of a build of the page, for the service worker that caches it. */
export interface Rules {
  /** The name of the build. */
  readonly build: string;
  /** The files that the page needs to open and work, without the page itself. */
  readonly files: readonly string[];
  /** The first script, which a page of this build refers to. */
  readonly entry: string;
}

/** The used part of CacheStorage. */
export type Caches = Pick<CacheStorage, "open" | "keys" | "delete" | "match">;

const prefix = "quire-page-";
/** The page without a notebook in it. It is the same for all users and holds no secret. */
export const shell = "/shell";
/** The cache in which the service worker, which has no localStorage, finds the key; the sign-in page knows the name too. */
export const keyCache = "quire-key";
export const keyPath = "/key";
/** The most cached builds: pages of the one before may still be open. */
const most = 2;

/**
 * Offline serves the page while the server is away. It caches only the page's own files, never data of notebooks. While the
 * server answers, its answer is used.
 */
export class Offline {
  readonly #rules: Rules;
  readonly #caches: Caches;
  readonly #fetch: (request: Request | string) => Promise<Response>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(rules: Rules, storage: Caches, fetch: (request: Request | string) => Promise<Response>) {
    this.#rules = rules;
    this.#caches = storage;
    this.#fetch = fetch;
  }

  get #name(): string {
    return prefix + this.#rules.build;
  }

  /** Caches all files of this build. Fails if the server does not have them. */
  install(): Promise<void> {
    return this.#inTurn(() => this.#install());
  }

  /** Caches this build again if it is gone: after a sign-out, or after the browser freed space. */
  ensure(): Promise<void> {
    return this.#inTurn(async () => {
      if ((await this.#kept(shell)) === undefined) await this.#install();
    });
  }

  /** Deletes all caches. */
  forget(): Promise<void> {
    return this.#inTurn(async () => {
      const ours = (await this.#caches.keys()).filter((name) => name.startsWith(prefix));
      await Promise.all([...ours, keyCache].map((name) => this.#caches.delete(name)));
    });
  }

  /** Runs operations one after the other: otherwise an install could store what a concurrent forget has deleted. */
  #inTurn(f: () => Promise<void>): Promise<void> {
    const done = this.#last.then(f, f);
    this.#last = done;
    return done;
  }

  async #install(): Promise<void> {
    const page = await this.#fetch(new Request(shell, { cache: "reload" }));
    const text = await page.clone().text();
    if (!page.ok || !text.includes(this.#rules.entry)) throw new Error("the server has another build of the page");
    const cache = await this.#caches.open(this.#name);
    await cache.addAll([...this.#rules.files]);
    await cache.put(shell, page); // last, because it marks a complete cache
  }

  /** Deletes the builds that no open page can belong to. */
  async tidy(): Promise<void> {
    const ours = (await this.#caches.keys()).filter((name) => name.startsWith(prefix) && name !== this.#name);
    await Promise.all(ours.slice(0, Math.max(0, ours.length - (most - 1))).map((name) => this.#caches.delete(name)));
  }

  /** Returns the answer to a request, undefined if the request is not for the page's own files. */
  answer(request: Request): Promise<Response> | undefined {
    const url = new URL(request.url);
    if (request.method !== "GET" || url.origin !== location.origin) return undefined;
    if (request.mode === "navigate") return isPage(url.pathname) ? this.#page(request) : undefined;
    if (url.pathname.startsWith("/assets/")) return this.#asset(request);
    return this.#rules.files.includes(url.pathname) ? this.#fresh(request) : undefined;
  }

  /** A browser that opens a page does not send the key; without it the server's page contains no data of a notebook. */
  async #page(request: Request): Promise<Response> {
    const key = await (await this.#match(keyPath, { cacheName: keyCache }))?.text();
    if (key === undefined) return this.#fresh(request, shell);
    const headers = new Headers(request.headers);
    headers.set("Quire-Key", key);
    return this.#fresh(
      new Request(request.url, { headers, cache: request.cache, redirect: "manual", credentials: "same-origin", signal: request.signal }),
      shell,
    );
  }

  /** The name of an asset changes with its content, so the cached file equals the server's. */
  async #asset(request: Request): Promise<Response> {
    const kept = request.headers.has("Range") || request.cache === "reload" ? undefined : await this.#match(request.url, { ignoreVary: true });
    return kept ?? this.#fetch(request);
  }

  /** A file with the same name in every build comes from the server, and from the cache only while the server is away. */
  async #fresh(request: Request, name = request.url): Promise<Response> {
    try {
      const answer = await this.#fetch(request);
      return isAway(answer) ? ((await this.#kept(name)) ?? answer) : answer;
    } catch (error) {
      return (await this.#kept(name)) ?? Promise.reject(error);
    }
  }

  #kept(address: string): Promise<Response | undefined> {
    return this.#match(address, { cacheName: this.#name, ignoreVary: true });
  }

  /** Looks in the caches. An error, as while the browser clears the site's data, counts as a miss: the server may have the file. */
  async #match(address: string, options: MultiCacheQueryOptions): Promise<Response | undefined> {
    try {
      return await this.#caches.match(address, options);
    } catch {
      return undefined;
    }
  }
}

/** Whether an address belongs to the page: the list of notebooks or a notebook. */
function isPage(path: string): boolean {
  return path === "/" || path.startsWith("/nb/");
}

/** Whether a proxy answers in place of the server. */
function isAway(answer: Response): boolean {
  return answer.status === 502 || answer.status === 503 || answer.status === 504;
}
