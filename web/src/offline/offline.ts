/** Rules are what a build of the page is made of, for a service worker that keeps it. */
export interface Rules {
  /** Names the build. */
  readonly build: string;
  /** The files that the page needs to be opened and used, apart from the page itself. */
  readonly files: readonly string[];
  /** The first script, which the page must name to be of this build. */
  readonly entry: string;
}

/** What caches have to offer here. */
export type Caches = Pick<CacheStorage, "open" | "keys" | "delete" | "match">;

const prefix = "quire-page-";
/** The page without a notebook in it. It is the same for everybody and holds no secret. */
export const shell = "/shell";
/** Where the service worker, which has no localStorage, finds the key: the page that signs in knows the names too. */
export const keyCache = "quire-key";
export const keyPath = "/key";
/** How many builds are kept: pages of the one before may still be open. */
const most = 2;

/**
 * Offline serves the page while the server is away. It keeps nothing but the page's own files: what the server says of
 * notebooks is never kept here. As long as the server answers, its answer is what is shown.
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

  /** Keeps all of this build. It fails where the server does not have it. */
  install(): Promise<void> {
    return this.#inTurn(() => this.#install());
  }

  /** Keeps this build if it is not kept any more: one may have signed out, or the browser has needed the room. */
  ensure(): Promise<void> {
    return this.#inTurn(async () => {
      if ((await this.#kept(shell)) === undefined) await this.#install();
    });
  }

  /** Forgets everything. */
  forget(): Promise<void> {
    return this.#inTurn(async () => {
      const ours = (await this.#caches.keys()).filter((name) => name.startsWith(prefix));
      await Promise.all([...ours, keyCache].map((name) => this.#caches.delete(name)));
    });
  }

  /** Does one after the other: what is forgotten while it is being kept would be kept after all. */
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
    await cache.put(shell, page); // last, so that it says that all is there
  }

  /** Forgets the builds that no open page can be of. */
  async tidy(): Promise<void> {
    const ours = (await this.#caches.keys()).filter((name) => name.startsWith(prefix) && name !== this.#name);
    await Promise.all(ours.slice(0, Math.max(0, ours.length - (most - 1))).map((name) => this.#caches.delete(name)));
  }

  /** Returns the answer to a request, undefined if it is none of the page's own. */
  answer(request: Request): Promise<Response> | undefined {
    const url = new URL(request.url);
    if (request.method !== "GET" || url.origin !== location.origin) return undefined;
    if (request.mode === "navigate") return isPage(url.pathname) ? this.#page(request) : undefined;
    if (url.pathname.startsWith("/assets/")) return this.#asset(request);
    return this.#rules.files.includes(url.pathname) ? this.#fresh(request) : undefined;
  }

  /** A browser that opens a page does not say the key, without which the server sends one with nothing of a notebook in it. */
  async #page(request: Request): Promise<Response> {
    const key = await (await this.#match(keyPath, { cacheName: keyCache }))?.text();
    if (key === undefined) return this.#fresh(request, shell);
    const headers = new Headers(request.headers);
    headers.set("Quire-Key", key);
    return this.#fresh(new Request(request.url, { headers, cache: request.cache, redirect: "manual", credentials: "same-origin", signal: request.signal }), shell);
  }

  /** The name of an asset changes with what is in it, so that what is kept under a name is what the server has. */
  async #asset(request: Request): Promise<Response> {
    const kept = request.headers.has("Range") || request.cache === "reload" ? undefined : await this.#match(request.url, { ignoreVary: true });
    return kept ?? this.#fetch(request);
  }

  /** What has one name in every build is the server's; only while that is away, it is what is kept. */
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

  /** Looks for what is kept. A browser that fails, as it may while it clears the data of the site, has nothing: the server may have it. */
  async #match(address: string, options: MultiCacheQueryOptions): Promise<Response | undefined> {
    try {
      return await this.#caches.match(address, options);
    } catch {
      return undefined;
    }
  }
}

/** Whether an address is one that the page shows: that of the notebooks or of one of them. */
function isPage(path: string): boolean {
  return path === "/" || path.startsWith("/nb/");
}

/** Whether it is a proxy that answers, since the server does not. */
function isAway(answer: Response): boolean {
  return answer.status === 502 || answer.status === 503 || answer.status === 504;
}
