import { beforeEach, expect, test, vi } from "vitest";
import { type Caches, Offline, type Rules } from "./offline.js";

/** FakeCaches is a browser's caches. */
class FakeCaches implements Caches {
  readonly caches = new Map<string, Map<string, Response>>();
  readonly fetch: (path: string) => Promise<Response>;

  constructor(fetch: (path: string) => Promise<Response>) {
    this.fetch = fetch;
  }

  open = async (name: string): Promise<Cache> => {
    const kept = this.caches.get(name) ?? new Map<string, Response>();
    this.caches.set(name, kept);
    const add = async (address: string): Promise<void> => {
      const answer = await this.fetch(pathOf(address));
      if (!answer.ok) throw new TypeError("not ok");
      kept.set(pathOf(address), answer);
    };
    const cache: Partial<Cache> = {
      put: async (address, answer) => void kept.set(pathOf(address), answer),
      addAll: async (all: Iterable<string | Request | URL>) => void (await Promise.all([...all].map((one) => add(pathOf(one))))),
      match: async (address) => kept.get(pathOf(address))?.clone(),
    };
    return Object.assign(Object.create(null), cache);
  };
  keys = async (): Promise<string[]> => [...this.caches.keys()];
  delete = async (name: string): Promise<boolean> => this.caches.delete(name);
  match = async (address: string | Request | URL, options: MultiCacheQueryOptions = {}): Promise<Response | undefined> =>
    [...this.caches.entries()]
      .filter(([name]) => options.cacheName === undefined || name === options.cacheName)
      .map(([, kept]) => kept)
      .map((kept) => kept.get(pathOf(address)))
      .find(Boolean)
      ?.clone();
}

function pathOf(address: string | Request | URL): string {
  return new URL(address instanceof Request ? address.url : String(address), location.origin).pathname;
}

/** Server is a fake server that can be away. */
class Server {
  away: "no" | "refuses" | "a proxy answers" = "no";
  build = "1";
  readonly asked: string[] = [];

  fetch = async (request: Request | string): Promise<Response> => {
    const path = pathOf(request);
    this.asked.push(path);
    if (this.away === "refuses") throw new TypeError("Failed to fetch");
    if (this.away === "a proxy answers") return new Response("Bad gateway", { status: 502 });
    if (path.startsWith("/assets/") && !path.includes(`-${this.build}.`)) return new Response("", { status: 404 });
    return new Response(path === "/shell" ? `shell assets/index-${this.build}.js` : `${path} of build ${this.build}`);
  };
}

let server: Server;
let caches: FakeCaches;
beforeEach(() => {
  server = new Server();
  caches = new FakeCaches((path) => server.fetch(path));
  vi.stubGlobal("Request", Asked);
});

/** Asked is a request. jsdom lets no script create one that navigates. */
class Asked {
  readonly url: string;
  readonly method: string;
  readonly mode: string;
  readonly cache: string;
  readonly headers: Headers;
  constructor(
    path: string,
    { method = "GET", mode = "cors", cache = "default", headers = {} }: { method?: string; mode?: string; cache?: string; headers?: HeadersInit } = {},
  ) {
    this.url = new URL(path, location.origin).href;
    this.method = method;
    this.mode = mode;
    this.cache = cache;
    this.headers = new Headers(headers);
  }
}

function rules(build: string): Rules {
  return { build, entry: `assets/index-${build}.js`, files: ["/theme.js", `/assets/index-${build}.js`, `/assets/core-${build}.wasm`] };
}

function offline(build = "1"): Offline {
  return new Offline(rules(build), caches, server.fetch);
}

async function text(of: Offline, path: string, init: { method?: string; mode?: "navigate" | "cors" } = {}): Promise<string | undefined> {
  const answer = await of.answer(new Request(path, init));
  return answer?.text();
}

const visit = { mode: "navigate" } as const;

test("while the server answers, what it says of the page is shown, and of a proxy's error the page that is kept", async () => {
  const page = offline();
  await page.install();
  expect(await text(page, "/nb/b1", visit)).toBe("/nb/b1 of build 1");
  for (const away of ["refuses", "a proxy answers"] as const) {
    server.away = away;
    for (const path of ["/", "/?deleted=1", "/nb/b1", "/nb/b1/a-title"]) expect(await text(page, path, visit), path).toBe("shell assets/index-1.js");
    expect(await text(page, "/theme.js")).toBe("/theme.js of build 1");
  }
});

test("a part of the page is taken from what is kept, for its name says what is in it", async () => {
  const page = offline();
  await page.install();
  server.asked.length = 0;
  expect(await text(page, "/assets/core-1.wasm")).toBe("/assets/core-1.wasm of build 1");
  expect(server.asked).toEqual([]);
});

test("nothing of a notebook, no sign-in and no order is touched", async () => {
  const page = offline();
  await page.install();
  for (const path of ["/api/notebooks", "/api/notebooks/b1/view", "/api/notebooks/b1/export?format=html", "/artifacts/x", "/metrics"])
    expect(await text(page, path), path).toBeUndefined();
  for (const path of ["/login?token=x", "/frame/", "/api/notebooks/b1/export", "/nope"]) expect(await text(page, path, visit), path).toBeUndefined();
  expect(await text(page, "/", { method: "POST", mode: "navigate" })).toBeUndefined();
  expect([...(caches.caches.get("quire-page-1")?.keys() ?? [])]).toEqual(["/theme.js", "/assets/index-1.js", "/assets/core-1.wasm", "/shell"]);
});

test("a newer build takes the place of the page at once, and pages of the one before find their parts", async () => {
  await offline("0")
    .install()
    .catch(() => undefined); // a build that the server does not have
  const first = offline();
  await first.install();
  server.build = "2";
  expect(await text(first, "/", visit), "the server is there").toBe("/ of build 2");
  const second = offline("2");
  await second.install();
  await second.tidy();
  server.away = "refuses";
  expect(await text(second, "/", visit)).toBe("shell assets/index-2.js");
  expect(await text(second, "/assets/index-1.js"), "an open page of the first").toBe("/assets/index-1.js of build 1");
  server.away = "no";
  server.build = "3";
  const third = offline("3");
  await third.install();
  await third.tidy();
  expect(await caches.keys()).toEqual(["quire-page-2", "quire-page-3"]);
});

test("a build that the server does not have any more is not kept", async () => {
  server.build = "2";
  await expect(offline("1").install()).rejects.toThrow("another build");
});

test("what is forgotten is gone, and kept again when it is asked for", async () => {
  const page = offline();
  await page.install();
  await page.forget();
  server.away = "refuses";
  await expect(text(page, "/", visit)).rejects.toThrow("Failed to fetch");
  server.away = "no";
  await page.ensure();
  server.away = "refuses";
  expect(await text(page, "/", visit)).toBe("shell assets/index-1.js");
});

test("a page is asked for with the key that is kept, and what else the browser says", async () => {
  const page = offline();
  await page.install();
  const asked: Request[] = [];
  server.fetch = async (request) => {
    if (request instanceof Request) asked.push(request);
    return new Response("page");
  };
  const keyed = new Offline(rules("1"), caches, (request) => server.fetch(request));
  await text(keyed, "/nb/b1?x=1", visit);
  (await caches.open("quire-key")).put("/key", new Response("half"));
  await keyed.answer(new Request("/nb/b1?x=1", { ...visit, headers: { Accept: "text/html" } }));
  await keyed.answer(new Request("/theme.js"));
  expect(asked.map(({ url, headers }) => [new URL(url).pathname, headers.get("Quire-Key"), headers.get("Accept")])).toEqual([
    ["/nb/b1", null, null],
    ["/nb/b1", "half", "text/html"],
    ["/theme.js", null, null],
  ]);
  await keyed.forget();
  expect(await caches.keys()).toEqual([]);
});

test("to look for what is kept leaves no empty cache behind", async () => {
  const page = offline();
  server.away = "refuses";
  await expect(text(page, "/", visit)).rejects.toThrow("Failed to fetch");
  expect(await caches.keys()).toEqual([]);
});

test("a browser that fails to look, as it may while it clears the data of the site, does not keep the page from the server", async () => {
  const page = offline();
  await page.install();
  vi.spyOn(caches, "match").mockRejectedValue(new DOMException("Unexpected internal error.", "UnknownError"));
  expect(await text(page, "/nb/b1", visit)).toBe("/nb/b1 of build 1");
  expect(await text(page, "/assets/index-1.js")).toBe("/assets/index-1.js of build 1");
  expect(await text(page, "/theme.js")).toBe("/theme.js of build 1");
  server.away = "refuses";
  await expect(text(page, "/", visit)).rejects.toThrow("Failed to fetch");
});

test("what is forgotten while it is being kept is not kept after all", async () => {
  const page = offline();
  const kept = page.ensure();
  const forgotten = page.forget();
  await Promise.all([kept, forgotten]);
  expect(await caches.keys()).toEqual([]);
  const again = page.ensure();
  await Promise.all([page.forget(), page.ensure(), again]);
  expect(await caches.keys()).toEqual(["quire-page-1"]);
});
